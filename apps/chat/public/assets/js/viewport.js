// SPDX-License-Identifier: MIT
// Keeps the page as high as what can be seen: where a keyboard covers the page instead of shrinking it, the field stays above it.

const view = window.visualViewport;

function fit() {
  const covered = window.innerHeight - view.height;
  // Zoomed in, the visible part is smaller, too, and nothing is to be moved.
  const isKeyboard = covered > 120 && view.scale < 1.05;
  document.documentElement.style.setProperty('--height', isKeyboard ? `${Math.round(view.height)}px` : '');
  if (isKeyboard) window.scrollTo(0, 0);
}

view?.addEventListener('resize', fit);
