/**
 * The whole environment of the node's programs. The agent's own variables (tokens, proxies, settings of its container) are not
 * theirs, and its PATH may differ from the node's.
 */
export const programEnvironment: Readonly<Record<string, string>> = {
  PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  // Output is parsed, so it must not be translated.
  LANG: "C",
  LC_ALL: "C",
};
