"""Everyday use of the API by a client that is not kubectl. Prints one JSON line per step."""
import json
import sys

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

config.load_kube_config(sys.argv[1])
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
NAMESPACE = "work"


def step(name, value):
    print(json.dumps({"step": name, "value": value}), flush=True)


def refused(name, call):
    try:
        call()
        step(name, "nothing was refused")
    except ApiException as error:
        body = json.loads(error.body)
        step(name, [error.status, body["reason"], body["message"]])


def config_map(name, data, **metadata):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data)


made = core.create_namespaced_config_map(NAMESPACE, config_map("py", {"a": "1"}, labels={"by": "python"}))
step("create", [made.metadata.name, made.data, made.metadata.uid is not None])
refused("create again", lambda: core.create_namespaced_config_map(NAMESPACE, config_map("py", {})))
refused("read what is not there", lambda: core.read_namespaced_config_map("none", NAMESPACE))

listed = core.list_namespaced_config_map(NAMESPACE, label_selector="by=python")
step("list", [item.metadata.name for item in listed.items])

merged = core.api_client.call_api(
    "/api/v1/namespaces/{ns}/configmaps/py", "PATCH", {"ns": NAMESPACE},
    header_params={"Content-Type": "application/merge-patch+json", "Accept": "application/json"},
    body={"data": {"b": "2"}}, auth_settings=["BearerToken"], response_type="V1ConfigMap", _return_http_data_only=True)
step("merge patch", merged.data)
step("strategic patch", core.patch_namespaced_config_map("py", NAMESPACE, {"data": {"a": None}}).data)
step("json patch", core.patch_namespaced_config_map(
    "py", NAMESPACE, [{"op": "add", "path": "/data/c", "value": "3"}]).data)

stale = core.read_namespaced_config_map("py", NAMESPACE)
core.patch_namespaced_config_map("py", NAMESPACE, {"data": {"d": "4"}})
refused("replace a stale copy", lambda: core.replace_namespaced_config_map("py", NAMESPACE, stale))
fresh = core.read_namespaced_config_map("py", NAMESPACE)
fresh.data["e"] = "5"
step("replace", core.replace_namespaced_config_map("py", NAMESPACE, fresh).data)

start = core.list_namespaced_config_map(NAMESPACE, label_selector="by=python").metadata.resource_version
core.create_namespaced_config_map(NAMESPACE, config_map("py-2", {}, labels={"by": "python"}))
core.patch_namespaced_config_map("py-2", NAMESPACE, {"data": {"x": "y"}})
deleted = core.delete_namespaced_config_map("py-2", NAMESPACE)
step("delete", [deleted.status, deleted.details.name, deleted.details.kind])
seen = []
for event in watch.Watch().stream(
        core.list_namespaced_config_map, NAMESPACE, label_selector="by=python", resource_version=start, timeout_seconds=30):
    seen.append([event["type"], event["object"].metadata.name])
    if event["type"] == "DELETED":
        break
step("watch from a version", seen)

pages, token = [], None
for at in range(5):
    core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{at}", {}, labels={"paged": "yes"}))
while True:
    page = core.list_namespaced_config_map(NAMESPACE, label_selector="paged=yes", limit=2, _continue=token)
    pages.append([item.metadata.name for item in page.items])
    token = page.metadata._continue
    if not token:
        break
step("pages", pages)
core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="paged=yes")
step("delete collection", len(core.list_namespaced_config_map(NAMESPACE, label_selector="paged=yes").items))

gadgets = ("shop.example", "v1", NAMESPACE, "widgets")
widget = {"apiVersion": "shop.example/v1", "kind": "Widget", "metadata": {"name": "py"}, "spec": {"size": "small"}}
step("custom create", custom.create_namespaced_custom_object(*gadgets, widget)["spec"])
step("custom patch", custom.patch_namespaced_custom_object(*gadgets, "py", {"spec": {"replicas": 2}})["spec"])
refused("custom invalid", lambda: custom.patch_namespaced_custom_object(*gadgets, "py", {"spec": {"replicas": 99}}))
step("custom list", [item["metadata"]["name"] for item in custom.list_namespaced_custom_object(*gadgets)["items"]])
step("custom delete", custom.delete_namespaced_custom_object(*gadgets, "py")["status"])

review = client.AuthorizationV1Api().create_self_subject_access_review(client.V1SelfSubjectAccessReview(
    spec=client.V1SelfSubjectAccessReviewSpec(
        resource_attributes=client.V1ResourceAttributes(verb="get", resource="pods", namespace=NAMESPACE))))
step("may read pods", review.status.allowed)
step("version", client.VersionApi().get_code().major)
