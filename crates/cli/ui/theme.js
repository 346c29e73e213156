// Light or dark. A classic script in the head, so that the page is never painted in the
// wrong theme first. Without a choice the system's preference holds.
(() => {
  const key = "zermelo.theme";
  const root = document.documentElement;
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const set = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  set(read());
  window.zermeloTheme = {
    get: () => root.dataset.theme ?? "auto",
    next() {
      const order = ["auto", "light", "dark"];
      const theme = order[(order.indexOf(this.get()) + 1) % 3];
      set(theme);
      try { localStorage.setItem(key, theme); } catch { /* private mode: holds for this page */ }
      return theme;
    },
  };
})();
