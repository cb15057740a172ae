import type { Kubectl } from './suite.ts';
import type { Handler, WebhookServer } from './webhook-server.ts';

/** A webhook of a case: its handler, and fields that differ from those of a plain one. */
export interface Given {
  handler?: Handler;
  fields?: object;
  rule?: object;
}

/** The webhooks of a case by name, in their order. */
export interface Lists {
  mutating?: Record<string, Given>;
  validating?: Record<string, Given>;
}

/** The case, and where its webhooks listen. */
interface At {
  k: Kubectl;
  server: WebhookServer;
}

const apiVersion = 'admissionregistration.k8s.io/v1';

function hookOf({ k, server }: At, name: string, { fields = {}, rule = {} }: Given): object {
  return {
    name: `${name}.example.com`,
    clientConfig: { url: server.url(`/${k.namespace}/${name}`), caBundle: server.caBundle },
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        resources: ['configmaps'],
        ...rule,
      },
    ],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': k.namespace } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  };
}

/** Installs webhooks, plays, and removes them: they would stay behind the case's namespace. */
export async function hooked(
  at: At,
  { mutating = {}, validating = {} }: Lists,
  play: () => Promise<void>,
): Promise<void> {
  const { k, server } = at;
  const probed = new Set<string>();
  // The last one says that those before it are in force.
  const probe: Given = { handler: () => ({}) };
  const lists = {
    mutating: { ...mutating, 'm-probe': probe },
    validating: { ...validating, 'v-probe': probe },
  };
  for (const list of Object.values(lists))
    for (const [name, { handler }] of Object.entries(list))
      server.on(`/${k.namespace}/${name}`, (asked) => {
        if (asked.name === 'probe') probed.add(name);
        return asked.name === 'probe' || handler === undefined ? {} : handler(asked);
      });
  const configuration = (kind: string, list: Record<string, Given>): object => ({
    apiVersion,
    kind,
    metadata: { name: k.namespace },
    webhooks: Object.entries(list).map(([name, given]) => hookOf(at, name, given)),
  });
  const items = [
    configuration('MutatingWebhookConfiguration', lists.mutating),
    configuration('ValidatingWebhookConfiguration', lists.validating),
  ];
  await k.run('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  for (let tries = 0; tries < 200 && !(probed.has('m-probe') && probed.has('v-probe')); tries += 1) {
    await k.raw('create configmap probe --dry-run=server');
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  try {
    await play();
  } finally {
    for (const kind of ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration'])
      await k.run(`delete ${kind} ${k.namespace}`);
  }
}
