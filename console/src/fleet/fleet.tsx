import { Title } from "@patternfly/react-core";

export function Fleet() {
  return <Title headingLevel="h1">Fleet</Title>;
}
