// The site's colours for CodeMirror: only variables, so light and dark are one theme.
import { EditorView } from "@codemirror/view";

const selection = { backgroundColor: "var(--selection)" };

export const theme = EditorView.theme({
  "&": {
    flex: "1", minHeight: "0", backgroundColor: "var(--code)", color: "var(--ink)", fontSize: "13.5px",
    "--selection": "light-dark(#CFD8FA, #2C3A6B)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "22px", fontVariantLigatures: "none", fontFeatureSettings: "normal" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 16px 0 4px" },
  ".cm-gutters": { backgroundColor: "var(--code)", color: "var(--c-co)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "38px", padding: "0 12px 0 4px", fontSize: "12px" },
  ".cm-gutter-lint": { width: "20px", order: "-1" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "4px 2px 0 4px" },
  ".cm-lint-marker": { width: "13px", height: "13px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklab, var(--accent) 6%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-line.bad": { backgroundColor: "var(--fail-soft)" },
  ".cm-line.warnl": { backgroundColor: "var(--warn-soft)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-selectionBackground": selection,
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": selection,
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: "var(--fail-soft)" },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".lens-box": { position: "sticky", left: "62px", width: "fit-content", padding: "3px 12px 7px 4px", whiteSpace: "normal" },
  ".lens": { position: "static", margin: "0", maxWidth: "min(100cqi - 96px, 640px)", font: "500 12.5px/1.4 var(--sans)" },
  ".lens code": { fontWeight: "600" },
  ".tok-global": { color: "var(--m-global)", textDecoration: "underline solid 1px", textUnderlineOffset: "4px" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--ink)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--edge)", borderRadius: "8px" },
  ".cm-textfield": { backgroundColor: "var(--surface)", border: "1px solid var(--edge)", borderRadius: "6px" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--surface)", border: "1px solid var(--edge)", borderRadius: "6px" },
});
