// <code-editor>: CodeMirror 6 over a <textarea>, as a form-associated element.
// Without this script the textarea is the editor; with it, the element takes over the textarea's name and value.
import { EditorState } from "@codemirror/state";
import {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, highlightSpecialChars,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { lintGutter, setDiagnostics, lintKeymap } from "@codemirror/lint";
import { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { cpp } from "@codemirror/lang-cpp";
import { classHighlighter } from "@lezer/highlight";
import { cuda, pointers } from "./cuda.js";
import { lenses, setLenses } from "./lenses.js";
import { theme } from "./theme.js";

const DRAFT_PAUSE_MS = 300;

class CodeEditor extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ["diagnostics"];
  #internals = this.attachInternals();
  #view = null;
  #timer = 0;

  connectedCallback() {
    if (this.#view) return;
    const area = this.querySelector("textarea");
    if (!area) return;
    const draft = this.#draft();
    this.#view = new EditorView({
      parent: this,
      state: EditorState.create({ doc: draft ?? area.value, extensions: this.#extensions() }),
    });
    // The element speaks for the form now.
    area.removeAttribute("name");
    area.hidden = true;
    this.querySelector("label")?.setAttribute("hidden", "");
    this.#internals.setFormValue(this.value);
    this.classList.add("ready");
    for (const id of ["cursor", "leave"]) document.getElementById(id)?.removeAttribute("hidden");
    if (draft !== null && draft !== area.value) this.#note("Draft restored");
    this.#showCursor();
    this.#setUpReset();
    this.#mark();
    document.addEventListener("click", (event) => this.#jump(event));
    // A tab that is closed at once keeps its last words, too.
    addEventListener("pagehide", () => this.#timer && this.#keep());
  }

  get value() { return this.#view ? this.#view.state.doc.toString() : this.querySelector("textarea")?.value ?? ""; }

  // Text is only ever changed by transactions, so undo reaches over a reset and over a submission.
  set value(text) { this.#view?.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } }); }

  attributeChangedCallback() { this.#mark(); }

  #extensions() {
    const submit = () => { this.closest("form")?.requestSubmit(); return true; };
    const nonce = document.querySelector("script[nonce]")?.nonce;
    return [
      nonce ? EditorView.cspNonce.of(nonce) : [],
      lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(),
      bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), lintGutter(),
      indentUnit.of("    "), EditorState.tabSize.of(4), cpp(), syntaxHighlighting(classHighlighter), cuda,
      pointers((this.getAttribute("pointers") ?? "").split(" ").filter(Boolean)), lenses, theme,
      keymap.of([
        { key: "Mod-Shift-Enter", run: submit },
        // Kept free: it will run one case.
        { key: "Mod-Enter", run: () => true },
        ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab,
      ]),
      EditorView.contentAttributes.of({
        "aria-label": this.getAttribute("label") ?? "Source",
        "aria-description": "Press Escape, then Tab, to leave",
        // Said aloud, so that what scrolls is known to be reached by keyboard.
        tabindex: "0",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.#changed();
        if (update.docChanged || update.selectionSet) this.#showCursor();
      }),
    ];
  }

  #setUpReset() {
    const button = document.getElementById("reset-code");
    const starter = document.getElementById("starter-code");
    if (!button || !starter) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      this.value = starter.content.textContent;
      this.#view.focus();
    });
  }

  #changed() {
    this.#internals.setFormValue(this.value);
    this.dispatchEvent(new Event("input", { bubbles: true }));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), DRAFT_PAUSE_MS);
  }

  #showCursor() {
    const place = document.getElementById("cursor");
    if (!place) return;
    const { head } = this.#view.state.selection.main;
    const line = this.#view.state.doc.lineAt(head);
    place.textContent = `Ln ${line.number}, Col ${head - line.from + 1}`;
  }

  #key() { return `draft:${this.getAttribute("exercise")}`; }

  #draft() {
    try { return localStorage.getItem(this.#key()); } catch { return null; }
  }

  #keep() {
    this.#timer = 0;
    try {
      localStorage.setItem(this.#key(), this.value);
      this.#note("Draft saved");
    } catch {
      this.#note("No drafts in this browser; submit to keep your code");
    }
  }

  #note(text) {
    const note = document.getElementById("draft");
    if (note) note.textContent = text;
  }

  // Findings and messages of the compiler: marks in the gutter and under the words, and a lens under the line.
  #mark() {
    if (!this.#view) return;
    let marks = [];
    try { marks = JSON.parse(this.getAttribute("diagnostics") || "[]"); } catch { /* nothing to mark */ }
    const { state } = this.#view;
    const placed = marks.filter((mark) => mark.line >= 1 && mark.line <= state.doc.lines).map((mark) => {
      const line = state.doc.line(mark.line);
      const indent = line.text.length - line.text.trimStart().length;
      return { from: line.from + Math.min(indent, line.length), to: line.to, severity: mark.severity, message: mark.message };
    });
    const plain = placed.map((mark) => ({ ...mark, message: mark.message.replaceAll("`", "") }));
    this.#view.dispatch(setDiagnostics(state, plain));
    this.#view.dispatch({ effects: setLenses.of(placed) });
  }

  // A link to a line leads into the editor, where there is one.
  #jump(event) {
    const link = event.target.closest?.("a[data-line]");
    const { doc } = this.#view.state;
    const number = Number(link?.dataset.line);
    if (!link || !(number >= 1 && number <= doc.lines)) return;
    event.preventDefault();
    const line = doc.line(number);
    this.#view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
    this.#view.focus();
  }
}

customElements.define("code-editor", CodeEditor);
