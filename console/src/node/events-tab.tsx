import { Label } from "@patternfly/react-core";
import { Table, Tbody, Td, Th, Thead, Tr } from "@patternfly/react-table";
import { Empty, Failed, Forbidden, Loading } from "../parts/states.tsx";
import { ageText } from "../parts/since.ts";
import { useStream, useTopic } from "../stream/use-topic.ts";

/** What happened to the node and its Profile. */
export function EventsTab({ name, now }: { readonly name: string; readonly now: number }) {
  const { isLoaded, rows, sources } = useTopic(`events/${name}` as "events/");
  const { stream } = useStream();
  const source = sources.get("Event");
  if (source?.state === "denied") return <Forbidden rule={source.rule} what="events" />;
  if (source?.state === "failed")
    return <Failed attempt="read the events of this node" message={source.message} onRetry={() => stream.retry()} />;
  if (!isLoaded || !sources.has("rows")) return <Loading label="Loading events" />;
  if (rows.size === 0)
    return (
      <Empty title="No events" command={`kubectl get events -A --field-selector involvedObject.name=${name}`}>
        Nothing has happened to this node and its Profile lately. API servers keep events for an hour.
      </Empty>
    );
  const events = [...rows].toSorted(([, a], [, b]) => (a.at < b.at ? 1 : -1));
  return (
    <Table aria-label="Events" variant="compact" gridBreakPoint="grid-md">
      <Thead>
        <Tr>
          <Th>Age</Th>
          <Th>Object</Th>
          <Th>Type</Th>
          <Th>Reason</Th>
          <Th>Message</Th>
        </Tr>
      </Thead>
      <Tbody>
        {events.map(([uid, { at, kind, type, reason, message, count }]) => (
          <Tr key={uid}>
            <Td dataLabel="Age" className="attune-since">
              <span title={at}>{ageText(at, now)}</span>
            </Td>
            <Td dataLabel="Object">{kind}</Td>
            <Td dataLabel="Type">
              {type === "Warning" ? (
                <Label isCompact variant="outline" status="warning">
                  {type}
                </Label>
              ) : (
                type
              )}
            </Td>
            <Td dataLabel="Reason">{reason}</Td>
            <Td dataLabel="Message" className="attune-breaks">
              {message}
              {count > 1 ? <span className="attune-note"> {count} times</span> : undefined}
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}
