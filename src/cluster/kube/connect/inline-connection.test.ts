import { describe, expect, it } from "vitest";
import { inlineConnection } from "./inline-connection.ts";

function kubeconfig(cluster: object, user: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://hosted:6443", ...cluster } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

describe("the kubeconfig of another author", () => {
  it("gives a connection when all of it stands in the text", async () => {
    const { cluster, credentials } = await inlineConnection(kubeconfig({}, { token: "t" }), "Secret a/b");
    expect(cluster.server).toBe("https://hosted:6443");
    expect(await credentials.current()).toMatchObject({ authorization: "Bearer t" });
  });

  it.each([
    ["a command", {}, { exec: { command: "/bin/sh" } }, 'user "u" has exec'],
    ["a token of this process", {}, { tokenFile: "/var/run/secrets/token" }, 'user "u" has tokenFile'],
    ["a file with a key", {}, { "client-key": "/etc/key" }, 'user "u" has client-key'],
    [
      "a file with an authority",
      { "certificate-authority": "/etc/shadow" },
      {},
      'cluster "c" has certificate-authority',
    ],
    ["a proxy", { "proxy-url": "http://proxy" }, {}, 'cluster "c" has proxy-url'],
    ["impersonation", {}, { as: "admin" }, 'user "u" has as'],
  ])("is refused with %s", async (_, cluster, user, message) => {
    await expect(inlineConnection(kubeconfig(cluster, user), "Secret a/b")).rejects.toThrow(message);
  });

  it("is never quoted in a message", async () => {
    await expect(inlineConnection("a: [secret", "Secret a/b")).rejects.toThrow(
      /^read kubeconfig Secret a\/b: malformed/,
    );
  });
});
