// <code-editor>: CodeMirror 6 over a <textarea>, as a form-associated element.
// Without this script the textarea is the editor; with it, the element takes over the textarea's name and value.
import { EditorState } from "@codemirror/state";
import {
  EditorView, Decoration, MatchDecorator, ViewPlugin, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter,
  drawSelection, highlightSpecialChars,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { lintGutter, setDiagnostics, lintKeymap } from "@codemirror/lint";
import { searchKeymap } from "@codemirror/search";
import { cpp } from "@codemirror/lang-cpp";
import { classHighlighter } from "@lezer/highlight";

const DRAFT_PAUSE_MS = 300;

// Words that the C++ grammar does not know.
const cudaWords = new MatchDecorator({
  regexp: /\b(__global__|__device__|__host__|__shared__|__constant__|__restrict__|__launch_bounds__|__forceinline__|__syncthreads|__syncwarp|threadIdx|blockIdx|blockDim|gridDim|warpSize)\b|<<<|>>>/g,
  decoration: (match) => Decoration.mark({ class: match[0].startsWith("__") ? "tok-cuda" : "tok-builtin" }),
});
const cuda = ViewPlugin.fromClass(
  class {
    constructor(view) { this.decorations = cudaWords.createDeco(view); }
    update(update) { this.decorations = cudaWords.updateDeco(update, this.decorations); }
  },
  { decorations: (plugin) => plugin.decorations },
);

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
    const served = area.value;
    const submitted = () => this.closest("form")?.requestSubmit();
    const nonce = document.querySelector("script[nonce]")?.nonce;
    this.#view = new EditorView({
      parent: this,
      state: EditorState.create({
        doc: this.#draft() ?? served,
        extensions: [
          lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(),
          bracketMatching(), closeBrackets(), highlightActiveLine(), lintGutter(), indentUnit.of("    "), cpp(), cuda,
          syntaxHighlighting(classHighlighter),
          keymap.of([
            { key: "Mod-Shift-Enter", run: () => (submitted(), true) },
            ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab,
          ]),
          EditorView.contentAttributes.of({
            "aria-label": this.getAttribute("label") ?? "Source",
            "aria-description": "Press Escape, then Tab, to leave",
          }),
          nonce ? EditorView.cspNonce.of(nonce) : [],
          EditorView.updateListener.of((update) => update.docChanged && this.#changed()),
        ],
      }),
    });
    // The element speaks for the form now.
    area.removeAttribute("name");
    area.hidden = true;
    this.#internals.setFormValue(this.value);
    this.classList.add("ready");
    this.#setUpReset(served);
    this.#mark();
    document.addEventListener("click", (event) => this.#jump(event));
  }

  get value() { return this.#view ? this.#view.state.doc.toString() : this.querySelector("textarea")?.value ?? ""; }

  set value(text) { this.#view?.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } }); }

  attributeChangedCallback() { this.#mark(); }

  // Undo reaches over a reset and over a submission: the text is only ever changed by transactions.
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

  #key() { return `draft:${this.getAttribute("exercise")}`; }

  #draft() {
    try { return localStorage.getItem(this.#key()); } catch { return null; }
  }

  #keep() {
    const note = document.getElementById("draft");
    try {
      localStorage.setItem(this.#key(), this.value);
      if (note) note.textContent = "Draft kept in this browser";
    } catch {
      if (note) note.textContent = "This browser keeps no drafts; submit to keep your code";
    }
  }

  #mark() {
    if (!this.#view) return;
    let marks = [];
    try { marks = JSON.parse(this.getAttribute("diagnostics") || "[]"); } catch { /* nothing to mark */ }
    const doc = this.#view.state.doc;
    const diagnostics = marks
      .filter((mark) => mark.line >= 1 && mark.line <= doc.lines)
      .map((mark) => {
        const line = doc.line(mark.line);
        const from = line.from + (line.text.length - line.text.trimStart().length);
        return { from: Math.min(from, line.to), to: line.to, severity: mark.severity, message: mark.message };
      });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  #jump(event) {
    const link = event.target.closest?.("a[data-line]");
    const doc = this.#view.state.doc;
    const number = Number(link?.dataset.line);
    if (!link || !(number >= 1 && number <= doc.lines)) return;
    event.preventDefault();
    const line = doc.line(number);
    this.#view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
    this.#view.focus();
  }
}

customElements.define("code-editor", CodeEditor);
