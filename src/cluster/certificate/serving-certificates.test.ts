import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CertificateInput, type Certificates, nextCertificates, renewalTime } from "./serving-certificates.ts";

const day = 24 * 60 * 60 * 1000;
const minute = 60_000;
const lives = { authorityMs: 300 * day, servingMs: 90 * day, settleMs: 10 * minute };
const start = Date.parse("2030-01-01T00:00:00Z");

function next(current: CertificateInput["current"], more: Partial<CertificateInput> = {}): Certificates {
  const authority = "test-ca";
  const names = ["hook.ns.svc"];
  return nextCertificates({ current, authority, names, publishedAt: undefined, now: start, lives, ...more });
}

const due = (certificates: Certificates, publishedAt?: number): number =>
  renewalTime(certificates, { lives, publishedAt });
const authorities = ({ "ca.crt": bundle }: Certificates): number => bundle.split("BEGIN CERTIFICATE").length - 1;
const served = (certificates: Certificates): X509Certificate => new X509Certificate(certificates["tls.crt"]);

/** Whether a client that trusts this bundle accepts what is served. */
function accepts(bundle: string, certificates: Certificates): boolean {
  const parts = bundle.match(/-----BEGIN[^]*?-----END CERTIFICATE-----/g) ?? [];
  return parts.some((part) => served(certificates).verify(new X509Certificate(part).publicKey));
}

describe("certificates", () => {
  const first = next(undefined);

  test("are created for the requested names", () => {
    expect(served(first).checkHost("hook.ns.svc")).toBe("hook.ns.svc");
    expect(accepts(first["ca.crt"], first)).toBe(true);
    expect(authorities(first)).toBe(1);
  });

  test("stay unchanged while they are fresh", () => {
    expect(next(first)).toEqual(first);
    expect(next(first, { now: due(first) - 1000 })).toEqual(first);
  });

  test("are renewed by the same authority when a third of their life is left", () => {
    const renewed = next(first, { now: due(first) });
    expect(renewed["ca.crt"]).toBe(first["ca.crt"]);
    expect(renewed["tls.crt"]).not.toBe(first["tls.crt"]);
    expect(due(renewed)).toBeGreaterThan(due(first));
  });

  test("are issued again for other names", () => {
    const moved = next(first, { names: ["127.0.0.1", "localhost"] });
    expect(moved["ca.crt"]).toBe(first["ca.crt"]);
    expect(served(moved).checkIP("127.0.0.1")).toBe("127.0.0.1");
  });

  const piece = (key: keyof Certificates, value: string | undefined): [string, Partial<Certificates>] => [
    `${key} is ${value === undefined ? "missing" : "another's"}`,
    { ...first, [key]: value },
  ];
  const other = next(undefined);
  test.each([
    ["all are empty", {}],
    piece("ca.crt", undefined),
    piece("ca.crt", other["ca.crt"]),
    piece("ca.key", other["ca.key"]),
    piece("tls.crt", other["tls.crt"]),
    piece("tls.key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"),
  ])("are all replaced when %s", (_, broken) => {
    const made = next(broken);
    expect(accepts(made["ca.crt"], made)).toBe(true);
    expect(made["ca.key"]).not.toBe(first["ca.key"]);
  });

  test("rotate their authority in three steps, each accepted by clients that trust the bundle before it", () => {
    const late = start + 250 * day;
    const before = next(first, { now: late - 60 * day });
    const published = next(before, { now: late, publishedAt: start });
    expect(authorities(published)).toBe(2);
    expect(published["tls.crt"]).toBe(before["tls.crt"]);

    // Configurations that are written are not yet read by all API servers.
    const tooEarly = late + 10 * minute - 1;
    expect(next(published, { now: tooEarly })).toEqual(published);
    expect(next(published, { now: tooEarly, publishedAt: late })).toEqual(published);
    expect(due(published, late)).toBe(late + 10 * minute);
    const signed = next(published, { now: due(published, late), publishedAt: late });
    expect(signed["tls.crt"]).not.toBe(published["tls.crt"]);
    expect(accepts(published["ca.crt"], signed)).toBe(true);

    // Another replica may still serve what the old authority signed.
    expect(due(signed, late)).toBe(late + 20 * minute);
    expect(next(signed, { now: due(signed, late) - 1, publishedAt: late })).toEqual(signed);
    const settled = next(signed, { now: due(signed, late), publishedAt: late });
    expect(authorities(settled)).toBe(1);
    expect(accepts(settled["ca.crt"], settled)).toBe(true);
    expect(next(settled, { now: due(signed, late) })).toEqual(settled);
  });
});
