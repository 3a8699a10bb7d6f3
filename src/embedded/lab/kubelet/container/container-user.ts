import type { Container } from "kubernetes-types/core/v1.js";
import type { Pod } from "../pod/pod-admission.ts";

/** The user of every image, unless an override says otherwise: the one that Attune's image has. */
export const defaultImageUser = "65532";
const largestUser = 2 ** 31 - 1;

export type ContainerUser =
  | { readonly type: "user"; readonly user: string }
  | { readonly type: "refused"; readonly message: string };

/** Who runs a container. With `runAsNonRoot` the kubelet refuses root, and a name, whose number only the image knows. */
export function containerUser(pod: Pod, container: Container, imageUser = defaultImageUser): ContainerUser {
  const of = { ...defined(pod.spec?.securityContext), ...defined(container.securityContext) };
  const user = String(of.runAsUser ?? imageUser);
  const { name, namespace, uid } = pod.metadata;
  const where = `(pod: "${name}_${namespace}(${uid})", container: ${container.name})`;
  const refused = (why: string): ContainerUser => ({ type: "refused", message: `${why} ${where}` });
  if (of.runAsNonRoot !== true) return { type: "user", user };
  if (of.runAsUser !== undefined)
    return of.runAsUser === 0 ? refused("container's runAsUser breaks non-root policy") : { type: "user", user };
  if (!/^[0-9]+$/.test(user))
    return refused(
      `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`,
    );
  if (Number(user) === 0) return refused("container has runAsNonRoot and image will run as root");
  if (Number(user) > largestUser)
    return refused(
      `container has runAsNonRoot and image has an invalid user id (${user}). (Must be 1-(${largestUser})): must be between 0 and ${largestUser}, inclusive`,
    );
  return { type: "user", user };
}

interface UserFields {
  readonly runAsUser?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
}

/** Without fields that are null or absent: a field that a container leaves out is the pod's. */
function defined(context: UserFields | undefined): UserFields {
  const { runAsUser, runAsNonRoot } = context ?? {};
  return {
    ...(runAsUser === undefined || runAsUser === null ? {} : { runAsUser }),
    ...(runAsNonRoot === undefined || runAsNonRoot === null ? {} : { runAsNonRoot }),
  };
}
