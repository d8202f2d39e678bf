;;; emacs.el --- Opens FILE, waits for the error, applies the fix whose title has TITLE  -*- lexical-binding: t -*-
;;; Commentary:
;; Writes what was seen to OUT as JSON.  Exit code 1 says which step failed.
;;; Code:
(require 'package)
(when (< emacs-major-version 29) (package-initialize))
(require 'eglot)
(require 'flymake)
(require 'json)

(setq eglot-sync-connect 30 eglot-connect-timeout 60 eglot-confirm-server-edits nil)
(add-to-list 'eglot-server-programs
             `((sh-mode yaml-mode text-mode) . (,(getenv "SGLINT_PYTHON") "-m" "sglint" "lsp")))

(defun await (step probe)
  "Wait until PROBE gives something, else leave naming STEP."
  (let ((end (+ (float-time) 60)) found)
    (while (and (not (setq found (funcall probe))) (< (float-time) end))
      (accept-process-output nil 0.05))
    (unless found
      (message "emacs: waited in vain for %s" step)
      (kill-emacs 1))
    found))

(defun errors ()
  "Diagnostics of type error in the current buffer."
  (seq-filter (lambda (diagnostic) (eq (flymake-diagnostic-type diagnostic) 'eglot-error)) (flymake-diagnostics)))

(find-file (getenv "FILE"))
(when (eq major-mode 'fundamental-mode) (text-mode))
(apply #'eglot (eglot--guess-contact))
(await "the server" (lambda () eglot--managed-mode))
(unless flymake-mode (flymake-mode 1))
(flymake-start)
(let* ((found (await "an error" #'errors))
       (first (car found))
       (start (flymake-diagnostic-beg first))
       (end (flymake-diagnostic-end first))
       (words (buffer-substring-no-properties start end))
       (hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                               (progn (goto-char start) (eglot--TextDocumentPositionParams))))
       (actions (append (eglot-code-actions start end "quickfix") nil))
       (action (seq-find (lambda (each) (string-match-p (getenv "TITLE") (plist-get each :title))) actions)))
  (unless action
    (message "emacs: no action has %s in its title" (getenv "TITLE"))
    (kill-emacs 1))
  (if (fboundp 'eglot-execute)
      (eglot-execute (eglot-current-server) action)
    (eglot--apply-workspace-edit (plist-get action :edit)))
  (await "the error to go" (lambda () (null (errors))))
  (let ((seen (json-encode `((errors . ,(length found))
                             (words . ,words)
                             (message . ,(flymake-diagnostic-text first))
                             (hover . ,(plist-get (plist-get hover :contents) :value))
                             (text . ,(buffer-substring-no-properties (point-min) (point-max))))))
        (coding-system-for-write 'utf-8))
    (set-buffer-modified-p nil)
    (eglot-shutdown (eglot-current-server))
    (with-temp-file (getenv "OUT") (insert seen))))
;;; emacs.el ends here
