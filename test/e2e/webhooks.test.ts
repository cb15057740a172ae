import { afterAll, beforeAll, expect } from 'vitest';
import { hooked as hookedAt, type Lists } from './hooked.ts';
import { suite, type Kubectl } from './suite.ts';
import {
  startWebhooks,
  type Asked,
  type Handler,
  type WebhookResponse,
  type WebhookServer,
} from './webhook-server.ts';

let server: WebhookServer | undefined;

beforeAll(async () => {
  server = await startWebhooks();
});

afterAll(async () => {
  await server?.close();
});

async function hooked(k: Kubectl, lists: Lists, play: () => Promise<void>): Promise<void> {
  if (server === undefined) throw new Error('there is no webhook server');
  await hookedAt({ k, server }, lists, play);
}

const label = (name: string, value: string): object => ({
  op: 'add',
  path: `/metadata/labels/${name}`,
  value,
});
const labels = { op: 'add', path: '/metadata/labels', value: {} };

suite('webhooks', (test) => {
  test('a mutating webhook changes a new pod, and a validating one sees it changed', async (k) => {
    const seen: string[] = [];
    const note =
      (who: string) =>
      ({ operation, name, object }: Asked) => {
        seen.push(
          `${who}: ${operation} ${name === undefined ? 'without a name' : 'by name'}, ${object?.metadata.uid === undefined ? 'no uid' : 'a uid'}, labels ${JSON.stringify(object?.metadata.labels)}`,
        );
        return {};
      };
    const rule = { resources: ['pods'] };
    const sidecar = { name: 'sidecar', image: 'sidecar:1' };
    await hooked(
      k,
      {
        mutating: {
          inject: {
            rule,
            handler: (asked) => ({
              ...note('mutating')(asked),
              warnings: ['a sidecar was added'],
              patch: [{ op: 'add', path: '/spec/containers/-', value: sidecar }, label('injected', 'yes')],
            }),
          },
        },
        validating: { look: { rule, handler: note('validating') } },
      },
      async () => {
        const pod = {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { generateName: 'web-', labels: { app: 'web' } },
          spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
        };
        const made = await k.run('create -o name -f -', JSON.stringify(pod));
        expect(made.replace(/web-\w+/, 'web-NAME')).toMatchInlineSnapshot(`
          pod/web-NAME
          [stderr]
          Warning: a sidecar was added
        `);
        const columns =
          'CONTAINERS:.spec.containers[*].name,PULL:.spec.containers[1].imagePullPolicy,LABEL:.metadata.labels.injected';
        expect(await k.run(`get pods -o custom-columns=${columns}`)).toMatchInlineSnapshot(`
          CONTAINERS   PULL   LABEL
          main,sidecar   IfNotPresent   yes
        `);
        expect(seen.join('\n')).toMatchInlineSnapshot(`
          mutating: CREATE without a name, no uid, labels {"app":"web"}
          validating: CREATE by name, a uid, labels {"app":"web","injected":"yes"}
        `);
      },
    );
  });

  test('what a webhook refuses is refused with its words and its code', async (k) => {
    const told = new Map<string, WebhookResponse>([
      ['plain', { allowed: false }],
      ['words', { allowed: false, status: { message: 'not on a Friday' } }],
      ['reason', { allowed: false, status: { reason: 'Because' } }],
      ['code', { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'no' } }],
      ['warned', { allowed: true, warnings: ['mind the gap', 'and the step'] }],
    ]);
    await hooked(
      k,
      { validating: { judge: { handler: ({ name = '' }) => told.get(name) ?? {} } } },
      async () => {
        const answers: string[] = [];
        for (const name of told.keys()) answers.push(await k.run(`create configmap ${name}`));
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          [stderr]
          error: failed to create configmap: admission webhook "judge.example.com" denied the request without explanation
          [exit 1]
          [stderr]
          error: failed to create configmap: admission webhook "judge.example.com" denied the request: not on a Friday
          [exit 1]
          [stderr]
          error: failed to create configmap: admission webhook "judge.example.com" denied the request: Because
          [exit 1]
          [stderr]
          error: failed to create configmap: admission webhook "judge.example.com" denied the request: no
          [exit 1]
          configmap/warned created
          [stderr]
          Warning: mind the gap
          Warning: and the step
        `);
      },
    );
  });

  test('a webhook that cannot be called fails the write, or is ignored', async (k) => {
    const nobody = { clientConfig: { url: 'https://127.0.0.1:1/none' } };
    const late = { timeoutSeconds: 1 };
    const sleep: Handler = async ({ name }) => {
      if (name === 'late') await new Promise((resolve) => void setTimeout(resolve, 1500));
      return {};
    };
    const only = (name: string) => ({
      matchConditions: [{ name: 'only', expression: `request.name == '${name}'` }],
    });
    const steady = (text: string) =>
      text
        .replaceAll(/https:\/\/127\.0\.0\.1:\d+\/[^/]+\//g, 'https://WEBHOOK/')
        .replaceAll(/127\.0\.0\.1:\d{2,}/g, 'ADDRESS');
    await hooked(
      k,
      {
        validating: {
          refused: { fields: { ...nobody, ...only('refused') } },
          ignored: { fields: { ...nobody, ...only('ignored'), failurePolicy: 'Ignore' } },
          late: { fields: { ...late, ...only('late') }, handler: sleep },
          unknown: {
            fields: { clientConfig: { service: { namespace: 'nowhere', name: 'none' } }, ...only('unknown') },
          },
          untrusted: {
            fields: { clientConfig: { url: server?.url(`/${k.namespace}/untrusted`) }, ...only('untrusted') },
          },
          uid: { fields: only('uid'), handler: () => ({ uid: 'another' }) },
          typed: { fields: only('typed'), handler: () => ({ patchType: 'JSONPatch' }) },
        },
      },
      async () => {
        const answers: string[] = [];
        for (const name of ['refused', 'ignored', 'late', 'unknown', 'untrusted', 'typed'])
          answers.push(steady(await k.run(`create configmap ${name}`)));
        expect(answers.join('\n')).toMatchInlineSnapshot(`
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "refused.example.com": failed to call webhook: Post "https://127.0.0.1:1/none?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused
          [exit 1]
          configmap/ignored created
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "late.example.com": failed to call webhook: Post "https://WEBHOOK/late?timeout=1s": context deadline exceeded
          [exit 1]
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "unknown.example.com": failed to call webhook: Post "https://none.nowhere.svc:443/?timeout=10s": service "none" not found
          [exit 1]
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "untrusted.example.com": failed to call webhook: Post "https://WEBHOOK/untrusted?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority
          [exit 1]
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "typed.example.com": received invalid webhook response: validating webhook may not return response.patchType
          [exit 1]
        `);
        expect(steady(await k.run('create configmap uid')).replaceAll(/(?<=response\.uid=")[^"]+/g, 'UID'))
          .toMatchInlineSnapshot(`
          [stderr]
          error: failed to create configmap: Internal error occurred: failed calling webhook "uid.example.com": received invalid webhook response: expected response.uid="UID", got "another"
          [exit 1]
        `);
      },
    );
  });

  test('a webhook is called again when a later one has changed the object', async (k) => {
    const calls: string[] = [];
    const counted =
      (name: string, patch: (asked: Asked) => object[]): Handler =>
      (asked) => {
        // A server makes a ConfigMap of its own in each namespace.
        if (asked.name !== 'a') return {};
        calls.push(`${name} sees ${JSON.stringify(asked.object?.metadata.labels ?? {})}`);
        return { patch: patch(asked) };
      };
    const ifNeeded = { reinvocationPolicy: 'IfNeeded' };
    await hooked(
      k,
      {
        mutating: {
          first: {
            fields: ifNeeded,
            handler: counted('first', ({ object }) =>
              object?.metadata.labels === undefined ? [labels, label('first', 'yes')] : [],
            ),
          },
          never: { handler: counted('never', () => []) },
          second: { handler: counted('second', () => [label('second', 'yes')]) },
          third: { fields: ifNeeded, handler: counted('third', () => []) },
        },
      },
      async () => {
        await k.run('create configmap a');
        expect(calls.join('\n')).toMatchInlineSnapshot(`
          first sees {}
          never sees {"first":"yes"}
          second sees {"first":"yes"}
          third sees {"first":"yes","second":"yes"}
          first sees {"first":"yes","second":"yes"}
        `);
        expect(await k.run("get configmap a -o jsonpath='{.metadata.labels}'")).toMatchInlineSnapshot(
          `{"first":"yes","second":"yes"}`,
        );
      },
    );
  });

  test('updates, deletions, dry runs and subresources are seen as what they are', async (k) => {
    const seen: string[] = [];
    const note: Handler = ({
      operation,
      kind,
      subResource = '',
      name,
      dryRun,
      object,
      oldObject,
      userInfo,
    }) => {
      // The controllers of a server write meanwhile.
      if (/^system:(?:serviceaccount:|kube-)/.test(userInfo.username ?? '')) return {};
      const parts = [object === null ? '' : 'object', oldObject === null ? '' : 'oldObject'].filter(Boolean);
      seen.push(
        [
          operation,
          `${kind.kind}${subResource && `/${subResource}`}`,
          name,
          dryRun ? 'dry run' : '',
          ...parts,
        ]
          .filter(Boolean)
          .join(' '),
      );
      return {};
    };
    const all = { apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments', 'deployments/*'] };
    await hooked(k, { validating: { look: { rule: all, handler: note } } }, async () => {
      await k.run('create configmap a');
      await k.run('label configmap a x=y');
      await k.run('label configmap a x=y');
      await k.run('annotate configmap a x=y --dry-run=server');
      await k.run('create deployment web --image=nginx:1 --replicas=0');
      await k.run('scale deployment web --replicas=0');
      await k.run('scale deployment web --replicas=1');
      await k.run('delete deployment web --cascade=orphan');
      await k.run('delete configmap a');
      expect(seen.join('\n')).toMatchInlineSnapshot(`
        CREATE ConfigMap a object
        UPDATE ConfigMap a object oldObject
        UPDATE ConfigMap a object oldObject
        UPDATE ConfigMap a dry run object oldObject
        CREATE Deployment web object
        UPDATE Scale/scale web object oldObject
        UPDATE Scale/scale web object oldObject
        DELETE Deployment web oldObject
        DELETE ConfigMap a oldObject
      `);
    });
  });

  test('selectors, conditions and versions decide whether it is called', async (k) => {
    const seen: string[] = [];
    const note =
      (who: string): Handler =>
      ({ kind, name }) => {
        seen.push(`${who}: ${kind.version} ${name}`);
        return {};
      };
    const scaler = {
      apiGroups: ['autoscaling'],
      apiVersions: ['v1'],
      resources: ['horizontalpodautoscalers'],
    };
    await hooked(
      k,
      {
        validating: {
          labelled: {
            fields: { objectSelector: { matchLabels: { app: 'web' } } },
            handler: note('labelled'),
          },
          condition: {
            fields: {
              matchConditions: [{ name: 'data', expression: "has(object.data) && object.data.x == 'y'" }],
            },
            handler: note('condition'),
          },
          broken: {
            fields: {
              matchConditions: [
                { name: 'only', expression: "request.name == 'broken'" },
                { name: 'data', expression: "object.data.x == 'y'" },
              ],
            },
          },
          elsewhere: {
            fields: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } } },
            handler: note('elsewhere'),
          },
          exact: { rule: scaler, fields: { matchPolicy: 'Exact' }, handler: note('exact') },
          equivalent: { rule: scaler, handler: note('equivalent') },
        },
      },
      async () => {
        await k.run('create configmap plain');
        await k.run('create configmap data --from-literal=x=y');
        await k.run(
          'create -f -',
          JSON.stringify({
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: 'web', labels: { app: 'web' } },
          }),
        );
        const spec = {
          maxReplicas: 3,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        };
        await k.run(
          'create -f -',
          JSON.stringify({
            apiVersion: 'autoscaling/v2',
            kind: 'HorizontalPodAutoscaler',
            metadata: { name: 'hpa' },
            spec,
          }),
        );
        expect(seen.join('\n')).toMatchInlineSnapshot(`
          condition: v1 data
          labelled: v1 web
          equivalent: v1 hpa
        `);
        expect(await k.run('create configmap broken')).toMatchInlineSnapshot(`
          [stderr]
          error: failed to create configmap: configmaps "broken" is forbidden: expression 'object.data.x == 'y'' resulted in error: no such key: data
          [exit 1]
        `);
      },
    );
  });
});
