import {
  Alert,
  Bullseye,
  Button,
  Card,
  CardBody,
  CardTitle,
  Content,
  Form,
  FormGroup,
  TextInput,
} from "@patternfly/react-core";
import { type FormEvent, useState } from "react";
import { CopyCommand } from "../parts/copy-command.tsx";
import { setSessionKey, type Start } from "./session.ts";

type SignedOut = Extract<Start, { type: "signed out" }>;

/** What a person sees who has no session: how to get one. */
export function SignIn({ signIn, problem, onKey }: SignedOut & { readonly onKey: () => void }) {
  return (
    <Bullseye className="attune-sign-in" component="main">
      <Card>
        <CardTitle component="h1">Sign in to Attune</CardTitle>
        <CardBody>
          {problem === undefined ? undefined : <Alert component="p" isInline variant="warning" title={problem} />}
          {signIn === "link" ? <Link /> : <Token onKey={onKey} />}
        </CardBody>
      </Card>
    </Bullseye>
  );
}

function Link() {
  return (
    <>
      <Content component="p">
        This console acts with the rights of the person who started it. Open the address that this command prints; it
        works once and for ten minutes.
      </Content>
      <CopyCommand command="attune console --url" />
    </>
  );
}

function Token({ onKey }: { readonly onKey: () => void }) {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSessionKey(token.trim());
    onKey();
  };
  return (
    <Form onSubmit={submit}>
      <Content component="p">
        This console has no rights of its own: it shows what your token may read. The token stays in this tab.
      </Content>
      <FormGroup label="Token" fieldId="token" isRequired>
        <TextInput id="token" type="password" autoComplete="off" value={token} onChange={(_, text) => setToken(text)} />
      </FormGroup>
      <CopyCommand command="kubectl create token NAME -n NAMESPACE" />
      <Button type="submit" isDisabled={token.trim() === ""}>
        Sign in
      </Button>
    </Form>
  );
}
