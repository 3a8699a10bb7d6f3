export type Theme = "system" | "light" | "dark";

const storage = "attune-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function theme(): Theme {
  const chosen = localStorage.getItem(storage);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** The file theme.js does the same before the first paint. */
export function setTheme(chosen: Theme): void {
  if (chosen === "system") localStorage.removeItem(storage);
  else localStorage.setItem(storage, chosen);
  show();
}

system.addEventListener("change", show);

function show(): void {
  const chosen = theme();
  const isDark = chosen === "system" ? system.matches : chosen === "dark";
  document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);
}
