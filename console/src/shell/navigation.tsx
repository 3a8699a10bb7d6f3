import { Nav, NavGroup, NavItem, PageSidebar, PageSidebarBody } from "@patternfly/react-core";
import { Link, useLocation } from "wouter";
import { useTopic } from "../stream/use-topic.ts";
import { type View, views } from "./views.ts";

export function Navigation() {
  const served = useServedViews();
  const [location] = useLocation();
  const groups = [...new Set(served.flatMap(({ group }) => group ?? []))];
  return (
    <PageSidebar>
      <PageSidebarBody>
        <Nav aria-label="Views">
          {groups.map((group) => (
            <NavGroup key={group} title={group}>
              {served
                .filter((view) => view.group === group)
                .map(({ path, title }) => (
                  <NavItem key={path} itemId={path} isActive={isAt(location, addressOf(path))}>
                    <Link href={addressOf(path)}>{title}</Link>
                  </NavItem>
                ))}
            </NavGroup>
          ))}
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}

/** Without views of kinds that no cluster serves. Until that is known, all. */
function useServedViews(): readonly View[] {
  const { rows } = useTopic("kinds");
  return views.filter(({ needs }) => !needs?.every((kind) => rows.get(kind)?.served === false));
}

/** `/rollout/:pool?` is at `/rollout`. */
export function addressOf(path: string): string {
  return path.replace(/\/:.*$/, "") || "/";
}

function isAt(location: string, address: string): boolean {
  return address === "/" ? location === "/" || location.startsWith("/nodes/") : location.startsWith(address);
}
