(() => {
  'use strict';
  const root = document.documentElement;
  document.getElementById('theme').onclick = () => {
    const now = root.dataset.theme;
    const dark = now ? now === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = dark ? 'light' : 'dark';
  };
})();
