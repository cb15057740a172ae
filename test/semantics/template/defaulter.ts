/**
 * The defaults that an API server with OpenKruise's webhook sets in a pod template, written independently of the
 * tables in semantics/template: it adds defaults, they remove them, and a property test compares the two.
 */
type Node = Record<string, unknown>;

export function fullyDefaulted(template: Node): Node {
  const result = structuredClone(template);
  const spec = child(result, 'spec');
  const metadata = child(result, 'metadata');
  metadata['creationTimestamp'] = null;
  spec['restartPolicy'] ??= 'Always';
  spec['dnsPolicy'] ??= 'ClusterFirst';
  spec['schedulerName'] ??= 'default-scheduler';
  spec['terminationGracePeriodSeconds'] ??= 30;
  spec['securityContext'] ??= {};
  spec['enableServiceLinks'] ??= true;
  spec['hostNetwork'] ??= false;
  if (spec['serviceAccountName'] !== undefined) spec['serviceAccount'] = spec['serviceAccountName'];
  for (const container of list(spec, 'containers')) defaultContainer(container, 'Always');
  for (const container of list(spec, 'initContainers'))
    defaultContainer(container, policyByTag(container['image']));
  for (const volume of list(spec, 'volumes')) defaultVolume(volume);
  return result;
}

function defaultContainer(container: Node, pullPolicy: string): void {
  container['imagePullPolicy'] ??= pullPolicy;
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  container['resources'] ??= {};
  container['tty'] ??= false;
  container['args'] ??= [];
  const resources = child(container, 'resources');
  if (resources['limits'] !== undefined) {
    resources['requests'] = {
      ...(resources['limits'] as Node),
      ...(resources['requests'] as Node | undefined),
    };
  }
  for (const port of list(container, 'ports')) {
    port['protocol'] ??= 'TCP';
    port['hostPort'] ??= 0;
  }
  for (const mount of list(container, 'volumeMounts')) mount['readOnly'] ??= false;
  for (const variable of list(container, 'env')) {
    const source = variable['valueFrom'] as Node | undefined;
    if (source === undefined) variable['value'] ??= '';
    else defaultReference(source);
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name] as Node | undefined;
    if (probe === undefined) continue;
    probe['timeoutSeconds'] ??= 1;
    probe['periodSeconds'] ??= 10;
    probe['successThreshold'] ??= 1;
    probe['failureThreshold'] ??= 3;
    probe['initialDelaySeconds'] ??= 0;
    const grpc = probe['grpc'] as Node | undefined;
    if (grpc !== undefined) grpc['service'] ??= '';
    defaultHttpGet(probe);
  }
  const lifecycle = container['lifecycle'] as Record<string, Node> | undefined;
  for (const hook of Object.values(lifecycle ?? {})) defaultHttpGet(hook);
}

function defaultHttpGet(handler: Node): void {
  const get = handler['httpGet'] as Node | undefined;
  if (get === undefined) return;
  get['path'] ??= '/';
  get['scheme'] ??= 'HTTP';
}

function defaultReference(source: Node): void {
  const fieldRef = source['fieldRef'] as Node | undefined;
  if (fieldRef !== undefined) fieldRef['apiVersion'] ??= 'v1';
  const resourceRef = source['resourceFieldRef'] as Node | undefined;
  if (resourceRef !== undefined) resourceRef['divisor'] ??= '0';
}

const declared: Record<string, Node> = {
  secret: { defaultMode: 420 },
  configMap: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420 },
  projected: { defaultMode: 420 },
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
};

function defaultVolume(volume: Node): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  for (const [source, values] of Object.entries(declared)) {
    const given = volume[source] as Node | undefined;
    if (given !== undefined) volume[source] = { ...values, ...given };
  }
  const image = volume['image'] as Node | undefined;
  if (image !== undefined) image['pullPolicy'] ??= policyByTag(image['reference']);
  for (const item of list(volume['downwardAPI'] as Node | undefined, 'items')) defaultReference(item);
  for (const source of list(volume['projected'] as Node | undefined, 'sources')) {
    const token = source['serviceAccountToken'] as Node | undefined;
    if (token !== undefined) token['expirationSeconds'] ??= 3600;
    for (const item of list(source['downwardAPI'] as Node | undefined, 'items')) defaultReference(item);
  }
  const claim = (volume['ephemeral'] as { volumeClaimTemplate?: { spec?: Node } } | undefined)
    ?.volumeClaimTemplate;
  if (claim?.spec !== undefined) claim.spec['volumeMode'] ??= 'Filesystem';
}

function policyByTag(image: unknown): string {
  const text = typeof image === 'string' ? image : '';
  const last = text.split('/').at(-1) ?? '';
  if (last.includes('@')) return last.split('@')[0]?.endsWith(':latest') ? 'Always' : 'IfNotPresent';
  return !last.includes(':') || last.endsWith(':latest') ? 'Always' : 'IfNotPresent';
}

function child(node: Node, key: string): Node {
  const value = (node[key] ?? {}) as Node;
  node[key] = value;
  return value;
}

function list(node: Node | undefined, key: string): Node[] {
  return (node?.[key] ?? []) as Node[];
}
