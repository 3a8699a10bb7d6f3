import {
  Masthead,
  MastheadBrand,
  MastheadContent,
  MastheadMain,
  Nav,
  NavGroup,
  NavItem,
  Page,
  PageSection,
  PageSidebar,
  PageSidebarBody,
} from "@patternfly/react-core";
import { Link, Route, Switch, useLocation } from "wouter";
import { type View, views } from "./views.ts";

/** The page around every view: brand, navigation, and the view of the address. */
export function Shell() {
  return (
    <Page masthead={<Header />} sidebar={<Navigation />} isManagedSidebar>
      <PageSection>
        <Switch>
          {views.map((view) => (
            <Route key={view.path} path={view.path}>
              <view.Component />
            </Route>
          ))}
        </Switch>
      </PageSection>
    </Page>
  );
}

function Header() {
  return (
    <Masthead>
      <MastheadMain>
        <MastheadBrand>Attune</MastheadBrand>
      </MastheadMain>
      <MastheadContent />
    </Masthead>
  );
}

function Navigation() {
  const groups = [...new Set(views.map(({ group }) => group))];
  return (
    <PageSidebar>
      <PageSidebarBody>
        <Nav>
          {groups.map((group) => (
            <NavGroup key={group} title={group}>
              {views.filter((view) => view.group === group).map((view) => Item(view))}
            </NavGroup>
          ))}
        </Nav>
      </PageSidebarBody>
    </PageSidebar>
  );
}

function Item({ path, title }: View) {
  const [location] = useLocation();
  return (
    <NavItem key={path} isActive={location === path}>
      <Link href={path}>{title}</Link>
    </NavItem>
  );
}
