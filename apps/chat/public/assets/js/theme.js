// SPDX-License-Identifier: MIT
// Light or dark: as the system has it, or as chosen here.

const dark = matchMedia('(prefers-color-scheme: dark)');

export const theme = () => localStorage.getItem('tusk-theme') ?? 'auto';

export function chooseTheme(choice) {
  if (choice === 'auto') localStorage.removeItem('tusk-theme');
  else localStorage.setItem('tusk-theme', choice);
  apply();
}

function apply() {
  const isDark = theme() === 'dark' || (theme() === 'auto' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', apply);
addEventListener('storage', (event) => event.key === 'tusk-theme' && apply());
apply();
