import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ObjectMap } from "../testing/object-map.ts";
import type { PolicyRule } from "./policy-rule.ts";
import { ask, binding, clusterRole, path, role } from "../testing/rbac-objects.ts";
import { RbacAuthorizer } from "./rbac.ts";
import type { Attributes, User } from "../user.ts";

interface Stored {
  metadata: { name: string; namespace?: string };
  rules: PolicyRule[];
  roleRef: { kind: string; name: string };
  subjects: { kind: string; name: string }[];
}

/** RBAC without indexes, caches or short cuts. */
function naive(objects: ObjectMap, user: User, wanted: Attributes): boolean {
  const collection = (plural: string): Stored[] =>
    objects.list(`${plural}.rbac.authorization.k8s.io`) as unknown as Stored[];
  const bindings = [...collection("clusterrolebindings"), ...collection("rolebindings")];
  for (const bound of bindings) {
    const { namespace } = bound.metadata;
    if (namespace !== undefined && (wanted.type === "path" || wanted.namespace !== namespace)) continue;
    const applies = bound.subjects.some((subject) =>
      subject.kind === "Group" ? user.groups.includes(subject.name) : user.name === subject.name,
    );
    if (!applies) continue;
    const roles = bound.roleRef.kind === "Role" ? collection("roles") : collection("clusterroles");
    for (const found of roles) {
      if (found.metadata.name !== bound.roleRef.name) continue;
      if (bound.roleRef.kind === "Role" && found.metadata.namespace !== namespace) continue;
      for (const rule of found.rules) if (naiveRule(rule, wanted)) return true;
    }
  }
  return false;
}
function naiveRule(rule: PolicyRule, wanted: Attributes): boolean {
  const one = (list: readonly string[] = [], value: string): boolean =>
    list.some((item) => item === "*" || item === value);
  if (!one(rule.verbs, wanted.verb)) return false;
  if (wanted.type === "path")
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith("*") ? wanted.path.startsWith(url.slice(0, -1)) : url === wanted.path,
    );
  const full = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
  const resource = (rule.resources ?? []).some(
    (item) => item === "*" || item === full || (wanted.subresource !== "" && item === `*/${wanted.subresource}`),
  );
  const named = (rule.resourceNames ?? []).length === 0 || rule.resourceNames!.includes(wanted.name);
  return one(rule.apiGroups, wanted.group) && resource && named;
}

test("decides as the model does, for any policy and any order of requests", () => {
  const verbs = fc.constantFrom("get", "list", "*");
  const groups = fc.constantFrom("", "apps", "*");
  const names = fc.constantFrom("a", "b");
  const some = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { maxLength: 2 });
  const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
    fc.record({
      verbs: some(verbs),
      apiGroups: some(groups),
      resources: some(fc.constantFrom("pods", "pods/log", "*/log", "nodes", "*")),
      resourceNames: some(names),
    }),
    fc.record({ verbs: some(verbs), nonResourceURLs: some(fc.constantFrom("/x", "/x/*", "*")) }),
  );
  const rules = fc.array(rule, { maxLength: 3 });
  const policy = fc.record({
    cluster: fc.dictionary(names, rules),
    local: fc.array(fc.tuple(names, names, rules), { maxLength: 3 }),
    bindings: fc.array(
      fc.tuple(
        fc.constantFrom("", "a/", "b/"),
        fc.constantFrom("ClusterRole/a", "ClusterRole/b", "Role/a", "Role/b"),
        fc.constantFrom("User u", "Group g", "User v"),
      ),
      { maxLength: 5 },
    ),
  });
  const question = fc.tuple(
    fc.constantFrom<User>({ name: "u", groups: [] }, { name: "u", groups: ["g"] }, { name: "v", groups: ["h", "g"] }),
    fc.oneof(
      fc.tuple(fc.constantFrom("get", "list"), fc.constantFrom("/x", "/x/y", "/y")).map(([verb, to]) => path(verb, to)),
      fc
        .tuple(
          fc.constantFrom("get", "list"),
          fc.constantFrom("/pods", "/pods/log", "apps/nodes", "apps/nodes/log"),
          fc.constantFrom("", "a", "b"),
          fc.constantFrom("", "a", "b"),
        )
        .map(([verb, what, namespace, name]) => ask(verb, what, namespace, name)),
    ),
  );
  fc.assert(
    fc.property(
      policy,
      fc.array(question, { minLength: 1, maxLength: 12 }),
      ({ cluster, local, bindings }, questions) => {
        const objects = new ObjectMap().put(
          ...Object.entries(cluster).map(([name, own]) => clusterRole(name, own)),
          ...local.map(([namespace, name, own]) => role(namespace, name, own)),
          ...bindings.map(([where, to, who], i) => binding(`${where}${i}`, to, who)),
        );
        const rbac = new RbacAuthorizer(objects);
        for (const [user, wanted] of questions)
          expect(rbac.authorize(user, wanted).allowed).toBe(naive(objects, user, wanted));
      },
    ),
    { numRuns: 400 },
  );
});
