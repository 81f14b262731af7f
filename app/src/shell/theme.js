// The theme that was chosen here before, applied before the first paint; and the button that changes it.
(() => {
  const root = document.documentElement;
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.setAttribute("data-theme", theme);
    else root.removeAttribute("data-theme");
  };
  let theme = null;
  try { theme = localStorage.getItem("theme"); } catch { /* no storage: the system's theme */ }
  apply(theme);
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    button.hidden = false;
    button.addEventListener("click", () => {
      const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      theme = isDark ? "light" : "dark";
      apply(theme);
      try { localStorage.setItem("theme", theme); } catch { /* lasts for this page */ }
    });
  });
})();
