#!/usr/bin/env bash
# Unpacks Emacs 30 of Debian's backports below the folder $1 and prints the command that starts it; the Emacs of the
# system stays as it is, and brings the libraries that both need.
set -euo pipefail
folder=$1
root=$folder/emacs-30
start=$folder/emacs-30.sh

if [ ! -x "$start" ]; then
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/apt/debs"
  line="deb $(apt-get indextargets --format '$(REPO_URI)' | sed -n 1p)"
  printf '%s main\n' "$line bookworm-backports" "$line bookworm" >"$folder/apt/sources.list"
  apt=(apt-get -qq -o "Dir::State::lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt/cache"
    -o "Dir::Etc::sourcelist=$folder/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root)
  "${apt[@]}" update
  cd "$folder/apt/debs"
  "${apt[@]}" -t bookworm-backports download emacs-nox emacs-common emacs-bin-common
  "${apt[@]}" download libtree-sitter0
  for deb in *.deb; do dpkg -x "$deb" "$root"; done
  rm -rf "$folder/apt"
  version=$(basename "$root"/usr/share/emacs/30.*)
  libexec=$(dirname "$(find "$root/usr" -name 'emacs*.pdmp' -print -quit)")
  share=$root/usr/share/emacs/$version
  cat >"$start" <<END
#!/bin/bash
export EMACSLOADPATH=$(find "$share/lisp" -type d -printf '%p:') EMACSDATA=$share/etc EMACSDOC=$share/etc EMACSPATH=$libexec
export LD_LIBRARY_PATH=$root/usr/lib/x86_64-linux-gnu
exec $root/usr/bin/emacs-nox --dump-file=$(find "$libexec" -name 'emacs*.pdmp' -print -quit) "\$@"
END
  chmod +x "$start"
fi
echo "$start"
