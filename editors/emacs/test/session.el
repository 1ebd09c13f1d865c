;;; session.el --- unitproof in Eglot, without a terminal  -*- lexical-binding: t -*-

;; Opens a failing proof with the configuration of docs/editors.md, which SNIPPET names, and looks at what a
;; user has of it: the diagnostics, the code actions at the entry, and that a save verifies again. Then two folders
;; that ask for a compiler of their own: ASKED waits for the answer to the server's question, TRUSTED_FOLDER is checked
;; at once with the setting that the page tells, which is in TRUSTED.

(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect 60 eglot-autoshutdown t make-backup-files nil create-lockfiles nil)
(load (getenv "SNIPPET") nil t)

(defun session-wait (what condition)
  "Wait until CONDITION gives something; fail as WHAT after three minutes."
  (let ((end (+ (float-time) 180)) seen)
    (while (not (setq seen (funcall condition)))
      (when (> (float-time) end)
        (message "emacs: never came: %s; diagnostics: %S" what (session-diagnostics))
        (kill-emacs 1))
      (accept-process-output nil 0.1))
    seen))

(defun session-diagnostics ()
  "What Flymake shows in the buffer: (LINE TYPE . TEXT) each."
  (flymake-start)
  (mapcar (lambda (d)
            (cons (line-number-at-pos (flymake-diagnostic-beg d))
                  (cons (flymake-diagnostic-type d) (flymake-diagnostic-text d))))
          (flymake-diagnostics)))

(defun session-some (pattern)
  "The diagnostic whose text matches PATTERN, if it is not of an earlier text."
  (seq-find (lambda (d) (and (string-match-p pattern (cddr d)) (not (string-match-p "before your last edit" (cddr d)))))
            (session-diagnostics)))

(find-file (expand-file-name "next_harness.c"))
(apply #'eglot (eglot--guess-contact))
(session-wait "the server" #'eglot-current-server)

(let ((d (session-wait "the failing assertion" (lambda () (session-some " is false")))))
  (unless (eq (cadr d) 'eglot-error) (error "It is no error: %S" d)))

;; The entry is where the lenses would be.
(goto-char (point-min))
(re-search-forward "^void \\(next_harness\\)")
(goto-char (match-beginning 1))
(let ((titles (mapcar (lambda (a) (plist-get a :title)) (append (eglot-code-actions (point) (match-end 1)) nil))))
  (dolist (verb '("Verify" "Replay" "Trace"))
    (unless (seq-find (lambda (title) (string-match-p verb title)) titles)
      (error "No code action %s: %S" verb titles))))

;; What a command finds is told, since Eglot does not show its answer.
(defvar session-told nil)
(advice-add 'eglot-handle-notification :before
            (lambda (_server method &rest params)
              (when (eq method 'window/showMessage) (push (plist-get params :message) session-told))))
(let ((replay (plist-get (seq-find (lambda (a) (string-match-p "Replay" (plist-get a :title)))
                                   (append (eglot-code-actions (point) (match-end 1)) nil))
                         :command)))
  (eglot-execute-command (eglot-current-server) (plist-get replay :command) (plist-get replay :arguments))
  (session-wait "the outcome of the replay"
                (lambda () (seq-find (lambda (text) (string-match-p "^reproduced" text)) session-told))))

;; A save verifies again: what is wrong now is an error of clang.
(goto-char (point-max))
(insert "int missing(void) { return 1 }\n")
(save-buffer)
(session-wait "clang's message" (lambda () (session-some "expected ';'")))
(eglot-shutdown (eglot-current-server) nil 5)

;; Nothing of a folder is run before the question is answered: it is looked for in the moment of the question.
(defvar session-question nil)
(let ((default-directory (file-name-as-directory (getenv "ASKED"))))
  (cl-letf (((symbol-function 'completing-read)
             (lambda (prompt choices &rest _)
               (setq session-question (cons prompt (file-exists-p "ran")))
               (seq-find (lambda (choice) (equal choice "Allow"))
                         (mapcar (lambda (c) (if (consp c) (car c) c)) choices)))))
    (find-file (expand-file-name "next_harness.c"))
    (apply #'eglot (eglot--guess-contact))
    (session-wait "the question" (lambda () session-question)))
  (unless (string-match-p "unitproof trust .*asked.*runs the compiler .*their-clang" (car session-question))
    (error "The question is %S" (car session-question)))
  (when (cdr session-question) (error "The folder's program was run before it was allowed"))
  (session-wait "the failing assertion behind the answer" (lambda () (session-some " is false")))
  (unless (file-exists-p "ran") (error "The folder's program was not run, but it was allowed"))
  (eglot-shutdown (eglot-current-server) nil 5))

(load (getenv "TRUSTED") nil t)
(let ((default-directory (file-name-as-directory (getenv "TRUSTED_FOLDER"))))
  (cl-letf (((symbol-function 'completing-read) (lambda (prompt &rest _) (error "It was asked: %s" prompt))))
    (find-file (expand-file-name "next_harness.c"))
    (apply #'eglot (eglot--guess-contact))
    (session-wait "the failing assertion by the setting" (lambda () (session-some " is false")))))
(message "emacs: the session passed (Emacs %s, Eglot %s)" emacs-version
         (ignore-errors (package-desc-version (cadr (assq 'eglot package-alist)))))
(ignore-errors (eglot-shutdown (eglot-current-server) nil 5))
(kill-emacs 0)
;;; session.el ends here
