// Runs before the first paint, so that a dark page never flashes white.
{
  const chosen = localStorage.getItem("attune-theme");
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.classList.toggle("pf-v6-theme-dark", dark);
}
