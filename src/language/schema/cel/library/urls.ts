import { fail } from "./conversions.ts";
import { charge, type Frame, sizeCost } from "../frame.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { bool, list, map, opaque, string } from "../type.ts";
import { OpaqueValue, type Value } from "../value.ts";

export interface Url {
  readonly scheme: string;
  /** With the port, and brackets around IPv6. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const urlType = opaque("kubernetes.URL");

/** `url('https://example.com:80/').getHost()`. */
export function urls(): Library {
  const library = new LibraryBuilder();
  const parsed = (text: Value, frame: Frame): Url | undefined => {
    charge(frame, sizeCost(text));
    return parseUrl(text as string);
  };
  library
    .function("isURL", [string], bool, ([text], frame) => parsed(text!, frame) !== undefined)
    .function("url", [string], urlType, ([text], frame) => {
      const shown = JSON.stringify(text);
      const url = parsed(text!, frame);
      if (!url) return fail(`URL parse error during conversion from string: parse ${shown}: invalid URI for request`);
      return new OpaqueValue(urlType.name, url, text as string);
    })
    .member("getQuery", [urlType], map(string, list(string)), ([url]) => queryOf(urlIn(url!).query));
  const part = (name: string, read: (url: Url) => string) =>
    library.member(name, [urlType], string, ([url]) => read(urlIn(url!)));
  part("getScheme", ({ scheme }) => scheme);
  part("getHost", ({ host }) => host);
  part("getHostname", ({ host }) => hostAndPort(host)[0].replace(/^\[(.*)\]$/, "$1"));
  part("getPort", ({ host }) => hostAndPort(host)[1]);
  part("getEscapedPath", ({ path }) => path);
  return library.build();
}

const urlIn = (value: Value): Url => (value as OpaqueValue).held as Url;
const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;

/** An absolute URL or a path from the root, as Go's ParseRequestURI accepts it. */
export function parseUrl(text: string): Url | undefined {
  // oxlint-disable-next-line no-control-regex -- a URL contains no control characters
  if (/[\u0000-\u0020\u007f]/.test(text)) return undefined;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  const [name = ""] = scheme.exec(text) ?? [];
  const [whole = ""] = text.slice(name.length).split("#", 1);
  const question = whole.indexOf("?");
  const rest = question < 0 ? whole : whole.slice(0, question);
  const query = question < 0 ? "" : whole.slice(question + 1);
  // A scheme without a slash behind it (`mailto:a`) is an absolute URL without host and path.
  if (!rest.startsWith("/"))
    return name ? { scheme: name.slice(0, -1).toLowerCase(), host: "", path: "", query } : undefined;
  if (!name) return { scheme: "", host: "", path: rest, query };
  const slashes = rest.startsWith("//");
  const end = slashes ? rest.indexOf("/", 2) : 0;
  const authority = slashes ? rest.slice(2, end < 0 ? undefined : end) : "";
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const bracket = host.startsWith("[") && !host.includes("]");
  if (bracket || !/^\d*$/.test(hostAndPort(host)[1])) return undefined;
  return { scheme: name.slice(0, -1).toLowerCase(), host, path: end < 0 ? "" : rest.slice(end), query };
}

function hostAndPort(host: string): [host: string, port: string] {
  const colon = host.indexOf(":", host.lastIndexOf("]") + 1);
  return colon < 0 ? [host, ""] : [host.slice(0, colon), host.slice(colon + 1)];
}

function queryOf(query: string): Value {
  const entries = new Map<Value, Value[]>();
  for (const [key, value] of new URLSearchParams(query)) {
    const others = entries.get(key);
    if (others) others.push(value);
    else entries.set(key, [value]);
  }
  return entries;
}
