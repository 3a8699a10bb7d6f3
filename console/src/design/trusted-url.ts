interface Policy {
  createScriptURL(url: string): unknown;
}

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}

/** The content security policy admits one policy of this name, so that there is one for the whole page. */
let policy: Policy | undefined;

/** The address of a script of this server, for `new Worker` under Trusted Types. Some browsers have none, and take the text. */
export function trustedUrl(url: string): URL {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy("attune", { createScriptURL: ownScript }) ?? { createScriptURL: ownScript };
  return policy.createScriptURL(url) as URL;
}

function ownScript(url: string): string {
  const { origin, href } = new URL(url, location.href);
  if (origin !== location.origin) throw new TypeError(`start a worker: ${href} is not of this server`);
  return href;
}
