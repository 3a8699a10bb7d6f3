import { createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { openAuthority, type Authority } from "./authority.ts";

const DAY = 24 * 60 * 60 * 1000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attune-authority-"));
});
afterEach(() => rm(dir, { recursive: true }));

const plain = ({ serviceAccountKey, issue: _issue, ...rest }: Authority): unknown => ({
  ...rest,
  key: serviceAccountKey.export({ format: "jwk" }),
});

test("a second start reuses the files of the first", async () => {
  const first = await openAuthority(dir);
  const second = await openAuthority(dir);
  expect(plain(second)).toEqual(plain(first));
});

test("only the owner may read the files", async () => {
  await openAuthority(dir);
  const pki = join(dir, "pki");
  expect((await stat(pki)).mode & 0o777).toBe(0o700);
  const files = await readdir(pki);
  expect(files.toSorted()).toEqual(["admin.pem", "admin.token", "ca.pem", "server.pem", "service-account.pem"]);
  for (const file of files) expect((await stat(join(pki, file))).mode & 0o777).toBe(0o600);
});

test("the authority signs the server and admin certificates, each with its purpose", async () => {
  const authority = await openAuthority(dir);
  const ca = new X509Certificate(authority.caPem);
  const server = new X509Certificate(authority.serverCertPem);
  const admin = new X509Certificate(authority.adminCertPem);
  expect(ca.ca).toBe(true);
  expect(ca.verify(ca.publicKey)).toBe(true);
  for (const certificate of [server, admin]) {
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(ca)).toBe(true);
    expect(certificate.verify(ca.publicKey)).toBe(true);
  }
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  expect(admin.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  expect(admin.subject).toBe("O=system:masters\nCN=admin");
  expect(server.checkPrivateKey(createPrivateKey(authority.serverKeyPem))).toBe(true);
  for (const name of ["localhost", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"])
    expect(server.checkHost(name)).toBe(name);
  for (const address of ["127.0.0.1", "::1", "10.96.0.1"]) expect(server.checkIP(address)).toBe(address);
  expect(server.checkHost("example.com")).toBeUndefined();
});

test("a new server name is added to its certificate", async () => {
  const before = await openAuthority(dir);
  const after = await openAuthority(dir, { names: ["cluster.example", "fd00::7:8", "::ffff:192.0.2.7"] });
  const certificate = new X509Certificate(after.serverCertPem);
  expect(certificate.checkHost("cluster.example")).toBe("cluster.example");
  expect(certificate.checkIP("fd00::7:8")).toBe("fd00::7:8");
  expect(certificate.checkIP("::ffff:192.0.2.7")).toBe("::ffff:192.0.2.7");
  expect(after.caPem).toBe(before.caPem);
  expect(after.adminCertPem).toBe(before.adminCertPem);
});

test("certificates that expire soon are renewed by the same authority", async () => {
  const clock = new VirtualClock();
  const first = await openAuthority(dir, { clock });
  await clock.advance(1500 * DAY);
  const second = await openAuthority(dir, { clock });
  expect(second.caPem).toBe(first.caPem);
  expect(second.adminCertPem).not.toBe(first.adminCertPem);
  const ca = new X509Certificate(second.caPem);
  const admin = new X509Certificate(second.adminCertPem);
  expect(admin.verify(ca.publicKey)).toBe(true);
  expect(Date.parse(admin.validTo)).toBeLessThanOrEqual(Date.parse(ca.validTo));
  const third = await openAuthority(dir, { clock });
  expect(third.adminCertPem).toBe(second.adminCertPem);
});

describe("after a crash or an accident", () => {
  test.each(["server.pem", "admin.pem"])("a broken %s is replaced", async (file) => {
    const first = await openAuthority(dir);
    await truncate(join(dir, "pki", file), 300);
    const second = await openAuthority(dir);
    expect(second.caPem).toBe(first.caPem);
    expect(new X509Certificate(second.serverCertPem).verify(new X509Certificate(first.caPem).publicKey)).toBe(true);
    expect(await readFile(join(dir, "pki", file), "utf8")).toContain("END CERTIFICATE");
  });

  test("a certificate of another authority is replaced", async () => {
    await openAuthority(dir);
    await rm(join(dir, "pki", "ca.pem"));
    const { caPem, adminCertPem } = await openAuthority(dir);
    expect(new X509Certificate(adminCertPem).verify(new X509Certificate(caPem).publicKey)).toBe(true);
  });

  test.each(["ca.pem", "service-account.pem"])("a broken %s fails the start and is not changed", async (file) => {
    await openAuthority(dir);
    const path = join(dir, "pki", file);
    await writeFile(path, "half of a k");
    await expect(openAuthority(dir)).rejects.toThrow(`read ${path}: not a usable key`);
    expect(await readFile(path, "utf8")).toBe("half of a k");
  });

  test.each(["ca.pem", "service-account.pem"])(
    "a lost %s of a directory in use fails the start, until all keys are removed",
    async (file) => {
      await openAuthority(dir);
      const pki = join(dir, "pki");
      await rm(join(pki, file));
      await expect(openAuthority(dir, { isInUse: true })).rejects.toThrow(
        `read ${join(pki, file)}: it is missing: restore it from a copy, or remove ${pki} for new keys`,
      );
      expect(await readdir(pki)).not.toContain(file);
      await rm(pki, { recursive: true });
      await expect(openAuthority(dir, { isInUse: true })).resolves.toMatchObject({
        caPem: expect.any(String) as string,
      });
    },
  );

  test("a leftover temporary file is removed", async () => {
    await openAuthority(dir);
    await rm(join(dir, "pki", "server.pem"));
    await writeFile(join(dir, "pki", "server.pem.tmp"), "half");
    await openAuthority(dir);
    expect(await readdir(join(dir, "pki"))).not.toContain("server.pem.tmp");
  });
});

test("a TLS server authenticates a node by its certificate", async () => {
  const authority = await openAuthority(dir);
  const node = authority.issue({ commonName: "system:node:n1", organizations: ["system:nodes"], purpose: "client" });
  const server = createServer({
    key: authority.serverKeyPem,
    cert: authority.serverCertPem,
    ca: authority.caPem,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const accepted = once(server, "secureConnection") as Promise<[TLSSocket]>;
  const client = connect({ port, host: "127.0.0.1", ca: authority.caPem, key: node.keyPem, cert: node.certPem });
  await once(client, "secureConnect");
  expect(client.authorized).toBe(true);
  const [socket] = await accepted;
  expect(socket.authorized).toBe(true);
  const { subject } = socket.getPeerCertificate();
  expect({ ...subject }).toEqual({ O: "system:nodes", CN: "system:node:n1" });
  client.destroy();
  socket.destroy();
  server.close();
});
