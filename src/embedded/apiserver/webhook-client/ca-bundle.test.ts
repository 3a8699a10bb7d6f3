import { expect, test } from "vitest";
import { makeCertificate, newKeyPair } from "../../../cluster/certificate/certificate.ts";
import { readCaBundle } from "./ca-bundle.ts";

const keys = newKeyPair();
const subject = { commonName: "ca" };
const good = makeCertificate({
  subject,
  issuer: subject,
  publicKey: keys.publicKey,
  issuerKey: keys,
  purpose: "authority",
  notBefore: 0,
  notAfter: 1e12,
});
const bad = "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n";
const key = "-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----\n";

test.each([
  ["a certificate", good, { type: "roots", pem: good.trim() }],
  ["two of them", good + good, { type: "roots", pem: `${good.trim()}\n${good.trim()}` }],
  ["a good one among others", `words\n${bad}${key}${good}`, { type: "roots", pem: good.trim() }],
  ["nothing", "", { type: "none" }],
  [
    "white space",
    "   ",
    { type: "fault", why: "unable to load root certificates: unable to parse bytes as PEM block" },
  ],
  ["words", "hello", { type: "fault", why: "unable to load root certificates: unable to parse bytes as PEM block" }],
  [
    "a bad one",
    bad,
    {
      type: "fault",
      why: "unable to load root certificates: failed to parse certificate: x509: malformed certificate",
    },
  ],
  [
    "only a key",
    key,
    { type: "fault", why: "unable to load root certificates: no valid certificate authority data seen" },
  ],
])("a bundle of %s", (_, text, expected) => {
  expect(readCaBundle(Buffer.from(text).toString("base64"))).toEqual(expected);
});
