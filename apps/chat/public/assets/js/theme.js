// SPDX-License-Identifier: MIT
// Light or dark: as the system has it, or as chosen here.

import { kept } from './kept.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

export const theme = () => kept.get('tusk-theme') ?? 'auto';

export function chooseTheme(choice) {
  kept.set('tusk-theme', choice === 'auto' ? null : choice);
  apply();
}

function apply() {
  const isDark = theme() === 'dark' || (theme() === 'auto' && dark.matches);
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
}

dark.addEventListener('change', apply);
addEventListener('storage', (event) => event.key === 'tusk-theme' && apply());
apply();
