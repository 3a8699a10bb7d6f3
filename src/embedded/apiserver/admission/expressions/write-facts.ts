import { apiVersionOf, type KubeObject } from "../../../../language/object/meta.ts";
import { fromJson } from "../../../../language/schema/cel/json-value.ts";
import type { Value } from "../../../../language/schema/cel/value.ts";
import type { Authorizer } from "../../auth/user.ts";
import type { Lookup, Resource } from "../../resource.ts";
import type { Attributes } from "../admission.ts";
import { surroundingNamespace } from "../match/selectors.ts";
import { authorizerValue, resourceCheckValue } from "./authorizer-library.ts";
import { namespaceValue, requestValue } from "./write-values.ts";

/** The values of one write for expressions, each computed on first use and cached. */
export class WriteFacts {
  readonly attributes: Attributes;
  readonly #authorizer: Authorizer;
  readonly #objects: Lookup;
  readonly #answers = new Map<string, Value>();

  constructor(attributes: Attributes, authorizer: Authorizer, objects: Lookup) {
    this.attributes = attributes;
    this.#authorizer = authorizer;
    this.#objects = objects;
  }

  object(shownAs: Resource): Value {
    return this.#once(`object/${shownAs.version}`, () => fromJson(inVersion(this.attributes.object, shownAs)));
  }

  oldObject(shownAs: Resource): Value {
    return this.#once(`oldObject/${shownAs.version}`, () => fromJson(inVersion(this.attributes.old, shownAs)));
  }

  request(shownAs: Resource): Value {
    return this.#once(`request/${shownAs.version}`, () => requestValue(this.attributes, shownAs));
  }

  get namespaceObject(): Value {
    return this.#once("namespaceObject", () => {
      const found = surroundingNamespace(this.attributes, this.#objects);
      return found ? namespaceValue(found) : null;
    });
  }

  get authorizer(): Value {
    return this.#once("authorizer", () => authorizerValue(this.attributes.user, this.#authorizer));
  }

  get requestResource(): Value {
    const { user, resource, subresource, namespace, name } = this.attributes;
    return this.#once("requestResource", () =>
      resourceCheckValue(user, this.#authorizer, {
        group: resource.group,
        resource: resource.plural,
        subresource,
        namespace,
        name,
      }),
    );
  }

  #once(name: string, make: () => Value): Value {
    let value = this.#answers.get(name);
    if (value === undefined) this.#answers.set(name, (value = make()));
    return value;
  }
}

/** The variables of one expression, in the version that the rule matched. */
export function variablesFor(
  facts: WriteFacts,
  shownAs: Resource,
  own: { readonly params?: Value; readonly variables?: Value; readonly inNamespace?: boolean } = {},
): Readonly<Record<string, Value>> {
  return {
    get object() {
      return facts.object(shownAs);
    },
    get oldObject() {
      return facts.oldObject(shownAs);
    },
    get request() {
      return facts.request(shownAs);
    },
    get namespaceObject() {
      return own.inNamespace === false ? null : facts.namespaceObject;
    },
    get authorizer() {
      return facts.authorizer;
    },
    get "authorizer.requestResource"() {
      return facts.requestResource;
    },
    params: own.params ?? null,
    variables: own.variables ?? null,
  };
}

/** The object with the apiVersion of the matched resource; built-in kinds are not converted. */
function inVersion(object: KubeObject | undefined, resource: Resource): KubeObject | undefined {
  if (!object || resource.origin === "builtin") return object;
  const apiVersion = apiVersionOf(resource.group, resource.version);
  return object.apiVersion === apiVersion || object.kind !== resource.kind ? object : { ...object, apiVersion };
}
