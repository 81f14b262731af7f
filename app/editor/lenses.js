// A lens is a sentence under the line that it is about. It follows its line, and goes when the line itself is changed.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

const LENSES_MAX = 3;

// Takes marks: { from, to, severity, message }, with code between backticks in the message.
export const setLenses = StateEffect.define();

class Lens extends WidgetType {
  constructor(message, severity) {
    super();
    this.message = message;
    this.severity = severity;
  }

  eq(other) { return other.message === this.message && other.severity === this.severity; }

  toDOM() {
    // Space is padding of a box around it: the editor measures boxes, and margins are outside of them.
    const box = document.createElement("div");
    box.className = "lens-box";
    const lens = box.appendChild(document.createElement("div"));
    lens.className = this.severity === "warning" ? "lens warning" : "lens";
    const text = lens.appendChild(document.createElement("span"));
    this.message.split("`").forEach((part, index) => {
      if (!part) return;
      text.append(index % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part);
    });
    return box;
  }
}

const decorate = (doc, marks) => {
  const ranges = [];
  const seen = new Set();
  for (const mark of marks) {
    const line = doc.lineAt(mark.from);
    if (!seen.has(line.number)) {
      ranges.push(Decoration.line({ class: mark.severity === "warning" ? "warnl" : "bad" }).range(line.from));
      if (seen.size < LENSES_MAX) {
        ranges.push(Decoration.widget({ widget: new Lens(mark.message, mark.severity), block: true, side: 1 }).range(line.to));
      }
    }
    seen.add(line.number);
  }
  return Decoration.set(ranges, true);
};

// Lines of the old text that a change touches.
const touched = (transaction) => {
  const lines = new Set();
  transaction.changes.iterChangedRanges((from, to) => {
    const { doc } = transaction.startState;
    for (let at = doc.lineAt(from).number; at <= doc.lineAt(to).number; at += 1) lines.add(at);
  });
  return lines;
};

export const lenses = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setLenses)) return decorate(transaction.state.doc, effect.value);
    }
    if (!transaction.docChanged || decorations === Decoration.none) return decorations;
    const { doc } = transaction.startState;
    const lines = touched(transaction);
    return decorations.update({ filter: (from) => !lines.has(doc.lineAt(from).number) }).map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});
