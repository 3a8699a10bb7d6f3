import { expect, test } from "vitest";
import { ApiError } from "../../../cluster/kube/api-error.ts";
import { nextStep } from "./next-step.ts";

const error = (code: number, message: string, reason = ""): ApiError => new ApiError({ code, reason, message });

test.each<[string, unknown, RegExp]>([
  ["credentials that are not accepted", error(401, "Unauthorized"), /log in again, or name others with --kubeconfig/],
  ["a missing right", error(403, 'User "ann" cannot list resource "nodes"'), /ask an administrator for this right/],
  ["a policy that refuses, which says why", error(403, "denied by policy p: no"), /^$/],
  ["a redirection", error(302, "the server responded with 302"), /no Kubernetes API server/],
  ["a failure", error(500, "etcdserver: leader changed"), /try again, and look at its log/],
  ["silence", error(0, "no response within 60000 ms", "RequestTimeout"), /look at its load, and try again/],
  ["an object that is not there, which says so", error(404, 'nodes "x" not found'), /^$/],
  ["another error", new Error("x"), /^$/],
  ["the cause of another error", new Error("status: x", { cause: error(401, "Unauthorized") }), /log in again/],
])("the next step after %s", (_, given, expected) => {
  expect(nextStep(given)).toMatch(expected);
});
