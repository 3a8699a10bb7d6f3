import { dnsLabel, dnsSubdomain } from "../../../../language/object/names.ts";
import { charge, type Frame } from "../../../../language/schema/cel/frame.ts";
import { LibraryBuilder, type Library } from "../../../../language/schema/cel/library/overload.ts";
import { bool, opaque, type OpaqueType, string } from "../../../../language/schema/cel/type.ts";
import { EvaluationError, OpaqueValue, type Value } from "../../../../language/schema/cel/value.ts";
import {
  type Attributes as Question,
  type Authorizer,
  type Decision,
  serviceAccountGroups,
  serviceAccountName,
  type User,
} from "../../auth/user.ts";

export const authorizerType = opaque("kubernetes.authorization.Authorizer");
export const resourceCheckType = opaque("kubernetes.authorization.ResourceCheck");
const pathCheckType = opaque("kubernetes.authorization.PathCheck");
const groupCheckType = opaque("kubernetes.authorization.GroupCheck");
const decisionType = opaque("kubernetes.authorization.Decision");

/** The user whose rights are checked, and the authorizer. */
interface Party {
  readonly user: User;
  readonly authorizer: Authorizer;
}

interface Check extends Party {
  readonly question: Omit<Extract<Question, { type: "resource" }>, "verb">;
}

/** kube-apiserver's cost of a check, which may call an external authorizer there. */
const checkCost = 350_000;

export function authorizerValue(user: User, authorizer: Authorizer): Value {
  return valueOf(authorizerType, { user, authorizer } satisfies Party);
}

export function resourceCheckValue(
  user: User,
  authorizer: Authorizer,
  about: Pick<Check["question"], "group" | "resource" | "subresource" | "namespace" | "name">,
): Value {
  return valueOf(resourceCheckType, {
    user,
    authorizer,
    question: { type: "resource", version: "*", ...about },
  } satisfies Check);
}

/** The CEL functions of `authorizer`: `authorizer.group('').resource('pods').check('create').allowed()`. */
export function authorization(): Library {
  const library = new LibraryBuilder();
  library
    .member("path", [authorizerType, string], pathCheckType, ([party, path]) =>
      valueOf(pathCheckType, { ...held<Party>(party), path: named("path", path) }),
    )
    .member("group", [authorizerType, string], groupCheckType, ([party, group]) =>
      valueOf(groupCheckType, { ...held<Party>(party), group }),
    )
    .member("serviceAccount", [authorizerType, string, string], authorizerType, ([party, namespace, name]) =>
      valueOf(authorizerType, { ...held<Party>(party), user: account(namespace as string, name as string) }),
    )
    .member("resource", [groupCheckType, string], resourceCheckType, ([groupCheck, resource]) => {
      const { user, authorizer, group } = held<Party & { group: string }>(groupCheck);
      const about = { group, resource: named("resource", resource), subresource: "", namespace: "", name: "" };
      return resourceCheckValue(user, authorizer, about);
    });
  for (const part of ["subresource", "namespace", "name"] as const)
    library.member(part, [resourceCheckType, string], resourceCheckType, ([check, value]) => {
      const { question, ...party } = held<Check>(check);
      return valueOf(resourceCheckType, { ...party, question: { ...question, [part]: value } });
    });
  // RBAC ignores selectors.
  for (const selector of ["fieldSelector", "labelSelector"])
    library.member(selector, [resourceCheckType, string], resourceCheckType, ([check]) => check!);
  library
    .member("check", [resourceCheckType, string], decisionType, ([check, verb], frame) => {
      const { question, ...party } = held<Check>(check);
      return decided(party, { ...question, verb: verb as string }, frame);
    })
    .member("check", [pathCheckType, string], decisionType, ([check, verb], frame) => {
      const { path, ...party } = held<Party & { path: string }>(check);
      return decided(party, { type: "path", path, verb: verb as string }, frame);
    })
    .member("allowed", [decisionType], bool, ([decision]) => held<Decision>(decision).allowed)
    .member("reason", [decisionType], string, ([decision]) => held<Decision>(decision).reason)
    // RBAC reports missing roles as reasons: a check never errors.
    .member("errored", [decisionType], bool, () => false)
    .member("error", [decisionType], string, () => "");
  return library.build();
}

function decided({ user, authorizer }: Party, question: Question, frame: Frame): Value {
  charge(frame, checkCost);
  return valueOf(decisionType, authorizer.authorize(user, question));
}

function account(namespace: string, name: string): User {
  if (dnsSubdomain(name).length > 0) throw new EvaluationError("Invalid service account name");
  if (dnsLabel(namespace).length > 0) throw new EvaluationError("Invalid service account namespace");
  return { name: serviceAccountName(namespace, name), groups: serviceAccountGroups(namespace) };
}

function named(what: string, value: Value | undefined): string {
  if ((value as string).trim() === "") throw new EvaluationError(`${what} must not be empty`);
  return value as string;
}

const valueOf = (type: OpaqueType, what: unknown): Value => new OpaqueValue(type.name, what);
const held = <T>(value: Value | undefined): T => (value as OpaqueValue).held as T;
