/**
 * Pages run the scripts of this server, talk to it alone, and cannot be framed. React sets styles through the DOM, which no
 * policy of styles limits. Trusted Types: no text becomes markup; the policy `attune` admits the address of the one worker.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...["script", "style", "img", "font", "connect", "worker"].map((what) => `${what}-src 'self'`),
  ...["base-uri", "form-action", "frame-ancestors"].map((what) => `${what} 'none'`),
  "require-trusted-types-for 'script'",
  "trusted-types attune",
].join("; ");

export const securityHeaders: Readonly<Record<string, string>> = {
  "Content-Security-Policy": contentSecurityPolicy,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
};
