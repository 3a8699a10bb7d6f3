import { isIP, BlockList } from "node:net";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for `server` according to the environment, by the rules of Go's net/http: loopback is never proxied, names
 * in NO_PROXY match themselves and their subdomains, `*` turns proxies off.
 */
export function proxyFromEnvironment(server: URL, env: Environment): string | undefined {
  const secure = server.protocol === "https:";
  const proxy = secure ? (env["HTTPS_PROXY"] ?? env["https_proxy"]) : (env["HTTP_PROXY"] ?? env["http_proxy"]);
  if (!proxy) return undefined;
  const host = bareHost(server.hostname);
  if (host === "localhost" || isLoopback(host)) return undefined;
  const port = server.port || (secure ? "443" : "80");
  const exempt = (env["NO_PROXY"] ?? env["no_proxy"] ?? "").split(",");
  if (exempt.some((entry) => matches(entry.trim().toLowerCase(), host, port))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** `[::1]` → `::1`. */
export function bareHost(hostname: string): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.toLowerCase();
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "") return false;
  if (entry === "*") return true;
  if (entry.includes("/")) return inRange(entry, host);
  const { name, port: onlyPort } = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(host) !== 0) return name === host;
  const domain = name.startsWith("*.") ? name.slice(1) : name;
  return domain.startsWith(".") ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { name: string; port: string | undefined } {
  if (entry.startsWith("[")) {
    const end = entry.indexOf("]");
    const rest = entry.slice(end + 1);
    return { name: entry.slice(1, end), port: rest.startsWith(":") ? rest.slice(1) : undefined };
  }
  if (isIP(entry) === 6) return { name: entry, port: undefined };
  const colon = entry.lastIndexOf(":");
  return colon < 0 ? { name: entry, port: undefined } : { name: entry.slice(0, colon), port: entry.slice(colon + 1) };
}

function inRange(cidr: string, host: string): boolean {
  const family = isIP(host);
  const [network = "", bits = ""] = cidr.split("/");
  const prefix = Number(bits);
  if (family === 0 || isIP(network) !== family || !Number.isInteger(prefix) || prefix < 0) return false;
  if (prefix > (family === 4 ? 32 : 128)) return false;
  const range = new BlockList();
  range.addSubnet(network, prefix, family === 4 ? "ipv4" : "ipv6");
  return range.check(host, family === 4 ? "ipv4" : "ipv6");
}

function isLoopback(host: string): boolean {
  return host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
