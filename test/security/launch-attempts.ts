import type { Attempt } from './attempt.ts';

const record = {
  'plan.kruise.io/launch-priority': '0',
  'plan.kruise.io/launch-released': '2026-01-01T00:00:00Z',
};

/** Security 15: writes with the token of the runtime about pods of others, one of them with containers that start in an order. */
export function launchAttempts(
  shop: string,
  event: (involved: object, component?: string, reason?: string) => object,
): Attempt[] {
  const as = 'the runtime';
  const patch = (
    title: string,
    body: object,
    { pod = 'launched', type = 'merge', more = '' } = {},
  ): Attempt => ({
    as,
    title: `patches ${title}`,
    line: `patch pod ${pod} -n ${shop} --type ${type} -p '${JSON.stringify(body)}'${more}`,
  });
  const create = (title: string, object: object): Attempt => ({
    as,
    title: `creates ${title}`,
    line: 'create -f -',
    object,
  });
  const annotate = (annotations: object): object => ({ metadata: { annotations } });
  const pod = { apiVersion: 'v1', kind: 'Pod', name: 'launched' };
  const image = { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } };
  return [
    patch('what is released of a pod of nobody whose containers start in an order', annotate(record)),
    patch('the same of a pod of nobody without an order', annotate(record), { pod: 'nobodys' }),
    patch('another annotation of a pod with an order', annotate({ ...record, own: '2' })),
    patch('an annotation of it away', annotate({ own: null })),
    patch('a label into it', { metadata: { labels: { app: 'other' } } }),
    patch('its finalizers', { metadata: { finalizers: ['example.com/x'] } }),
    patch('its image', image, { type: 'strategic' }),
    patch('its status', { status: { message: 'x' } }, { more: ' --subresource status' }),
    { as, title: 'deletes it', line: `delete pod launched -n ${shop}` },
    create('an Event that its containers wait', event(pod, 'kruise', 'FailedLaunch')),
    create('another Event about it', event(pod)),
  ];
}
