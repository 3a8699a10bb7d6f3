export type GoUrl =
  | {
      readonly type: "url";
      readonly scheme: string;
      readonly host: string;
      /** Undefined without user information, which differs from an empty one. */
      readonly user: string | undefined;
      readonly query: string;
      readonly fragment: string;
    }
  | { readonly type: "fault"; readonly why: string };

/** Parses a URL as Go's net/url, which is more lenient than WHATWG: almost anything is valid. */
export function parseGoUrl(text: string): GoUrl {
  if (hasControl(text)) return fault("net/url: invalid control character in URL");
  const [withoutFragment, fragment] = cut(text, "#");
  const escape = badEscape(text);
  if (escape !== undefined) return fault(`invalid URL escape ${JSON.stringify(escape)}`);
  const colon = schemeEnd(withoutFragment);
  if (colon === 0) return fault("missing protocol scheme");
  const scheme = colon < 0 ? "" : withoutFragment.slice(0, colon).toLowerCase();
  const [rest, query] = cut(colon < 0 ? withoutFragment : withoutFragment.slice(colon + 1), "?");
  const url = { type: "url", scheme, host: "", user: undefined, query, fragment } as const;
  if (!rest.startsWith("/")) {
    // With a scheme and without a slash it is opaque; without a scheme, the first segment must not contain a colon.
    const colonInPath = cut(rest, "/")[0].includes(":");
    return scheme === "" && colonInPath ? fault("first path segment in URL cannot contain colon") : url;
  }
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///"))) return url;
  const [authority] = cut(rest.slice(2), "/");
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const port = badPort(host);
  if (port !== undefined) return fault(`invalid port ${JSON.stringify(port)} after host`);
  return { ...url, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

function fault(why: string): GoUrl {
  return { type: "fault", why };
}

function cut(text: string, separator: string): [before: string, after: string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}

/** The index of the scheme's colon; -1 without a scheme. */
function schemeEnd(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (character === ":") return i;
    if (/[a-zA-Z]/.test(character)) continue;
    if (i === 0 || !/[0-9+.-]/.test(character)) return -1;
  }
  return -1;
}

function badEscape(text: string): string | undefined {
  for (let i = text.indexOf("%"); i >= 0; i = text.indexOf("%", i + 1))
    if (!/^%[0-9a-fA-F]{2}$/.test(text.slice(i, i + 3))) return text.slice(i, i + 3);
  return undefined;
}

function badPort(host: string): string | undefined {
  const end = host.startsWith("[") ? host.lastIndexOf("]") + 1 : host.lastIndexOf(":");
  const port = end < 0 ? "" : host.slice(end);
  return port === "" || /^:[0-9]*$/.test(port) ? undefined : port;
}
