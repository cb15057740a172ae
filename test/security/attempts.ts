import type { Attempt, User } from './attempt.ts';
import { childAttempts } from './child-attempts.ts';
import { launchAttempts } from './launch-attempts.ts';
import { objectsIn, type Owners } from './objects.ts';

const account = (name: string): string => `system:serviceaccount:${name.replace('/', ':')}`;
export const usersIn = (shop: string): Record<User, string> => ({
  'the runtime': account('kruise-system/kruise-runtime'),
  'a runtime that is not listed': account(`${shop}/kruise-runtime`),
  "OpenKruise's manager": account('kruise-system/kruise-manager'),
  'the garbage collector': account('kube-system/generic-garbage-collector'),
  'the namespace controller': account('kube-system/namespace-controller'),
  'the StatefulSet controller': account('kube-system/statefulset-controller'),
  // May do everything by RBAC.
  'an administrator': 'kubernetes-admin-2',
});

/** All attempts in a namespace. */
export interface Attempts {
  memory: Attempt[];
  token: Attempt[];
  targets: Attempt[];
  created: Attempt[];
}

const keys = { 'plan.kruise.io/complete': '1e300' };
const marked = { metadata: { annotations: keys } };

const thief: User = 'the runtime';
const released = { metadata: { ownerReferences: null } };

export function attemptsIn(shop: string, owners: Owners): Attempts {
  const users = usersIn(shop);
  const set = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'db', uid: '3' };
  const owned = (name: string): object => ({
    metadata: { ownerReferences: [set, { apiVersion: 'v1', kind: 'Pod', name, uid: '4' }] },
  });
  const { owner, stateful, revision, pod, claim, run, scheduled, event, lease } = objectsIn(shop, owners);
  const create = (as: User, title: string, object: object): Attempt => ({
    as,
    title: `creates ${title}`,
    line: 'create -f -',
    object,
  });
  const patch = (
    as: User,
    title: string,
    what: string,
    body: object,
    type = 'merge',
    more = '',
  ): Attempt => ({
    as,
    title: `patches ${title}`,
    line: `patch ${what} -n ${shop} --type ${type} -p '${JSON.stringify(body)}'${more}`,
  });
  const remove = (as: User, title: string, what: string): Attempt => ({
    as,
    title: `deletes ${title}`,
    line: `delete ${what} -n ${shop}`,
  });

  /** Security 2: writes to the records of a rollout. */
  function memory(): Attempt[] {
    const everybody: User[] = [
      'the runtime',
      "OpenKruise's manager",
      'an administrator',
      'a runtime that is not listed',
    ];
    return [
      ...everybody.map((as) => create(as, 'a revision of a CloneSet', revision({ name: 'new' }))),
      create(
        'an administrator',
        'one of a CloneSet that is no controller',
        revision({ name: 'new', owners: [owner({ controller: false })] }),
      ),
      create(
        'an administrator',
        'one with an annotation of plan.kruise.io',
        revision({ name: 'new', owners: [], annotations: keys }),
      ),
      create(
        'an administrator',
        'one with a label of plan.kruise.io',
        revision({ name: 'new', owners: [], labels: { 'plan.kruise.io/accepted': 'true' } }),
      ),
      create('an administrator', 'one of nobody', revision({ name: 'new', owners: [] })),
      create(
        'an administrator',
        "one of OpenKruise's EphemeralJob",
        revision({ name: 'new', owners: [owner({ kind: 'EphemeralJob' })] }),
      ),
      create(
        'the StatefulSet controller',
        'one of a StatefulSet',
        revision({ name: 'new', owners: [stateful()] }),
      ),
      create(
        'the StatefulSet controller',
        'one of a StatefulSet that has our annotation',
        revision({ name: 'new', owners: [stateful()], annotations: { 'plan.kruise.io/policy': 'Auto' } }),
      ),
      patch(
        'the StatefulSet controller',
        'a StatefulSet into the record of nobody',
        'controllerrevision orphan',
        {
          metadata: { ownerReferences: [stateful()] },
        },
      ),
      patch(
        'the StatefulSet controller',
        'another annotation of the record of nobody',
        'controllerrevision orphan',
        {
          metadata: { annotations: { other: '1' } },
        },
      ),
      create('the garbage collector', 'a revision of a CloneSet', revision({ name: 'new' })),
      ...everybody.map((as) => patch(as, 'a revision of a CloneSet', 'controllerrevision ours', marked)),
      patch('an administrator', 'our owner away', 'controllerrevision ours', {
        metadata: { ownerReferences: null },
      }),
      patch('the garbage collector', 'our owner away', 'controllerrevision ours', {
        metadata: { ownerReferences: null },
      }),
      patch('an administrator', 'a CloneSet into the revision of nobody', 'controllerrevision nobodys', {
        metadata: { ownerReferences: [{ ...owner(), uid: '0' }] },
      }),
      patch(
        'an administrator',
        'our annotation into the revision of nobody',
        'controllerrevision nobodys',
        marked,
      ),
      patch(
        'an administrator',
        'another annotation of the revision of nobody',
        'controllerrevision nobodys',
        {
          metadata: { annotations: { a: 'b' } },
        },
      ),
      remove('an administrator', 'a revision of a CloneSet', 'controllerrevision ours'),
      remove('an administrator', 'all revisions', 'controllerrevisions --all'),
      ...(
        ['the runtime', "OpenKruise's manager", 'the garbage collector', 'the namespace controller'] as const
      ).map((as) => remove(as, 'a revision of a CloneSet', 'controllerrevision ours')),
      remove('an administrator', 'the revision of nobody', 'controllerrevision nobodys'),
      // As after kubectl delete --cascade=orphan.
      patch('an administrator', 'the record of nobody', 'controllerrevision orphan', marked),
      create(
        'an administrator',
        'the record of nobody anew',
        revision({ name: 'new', owners: [], annotations: keys }),
      ),
      remove('an administrator', 'the record of nobody', 'controllerrevision orphan'),
      remove(
        'an administrator',
        'a record that a CloneSet owns without controlling it',
        'controllerrevision loose',
      ),
    ];
  }

  /** Security 15: writes with the token of the runtime. */
  function token(): Attempt[] {
    return [
      create(thief, 'a pod of a CloneSet', pod({ name: 'new' })),
      create(thief, 'a pod of nobody', pod({ name: 'new', owners: [] })),
      create(thief, 'a pod of a StatefulSet of Kubernetes', pod({ name: 'new', owners: [stateful()] })),
      create(
        thief,
        'a pod of a CloneSet of another group',
        pod({ name: 'new', owners: [owner({ apiVersion: 'apps.example/v1' })] }),
      ),
      create(
        thief,
        'a pod of a CloneSet that does not control it',
        pod({ name: 'new', owners: [owner({ controller: false })] }),
      ),
      create(
        thief,
        'a pod of a CloneSet and of another owner',
        pod({ name: 'new', owners: [owner(), { ...stateful(), controller: false }] }),
      ),
      create(thief, 'a pod of a CloneSet in kube-system', pod({ name: 'new', namespace: 'kube-system' })),
      create(thief, 'a pod of a CloneSet in kruise-system', pod({ name: 'new', namespace: 'kruise-system' })),
      create(
        thief,
        'a pod with its own service account',
        pod({ name: 'new' }, { serviceAccountName: 'kruise-runtime' }),
      ),
      create('an administrator', 'a pod of nobody', pod({ name: 'new', owners: [] })),
      patch(
        thief,
        'the image of a pod of a CloneSet',
        'pod ours',
        {
          spec: { containers: [{ name: 'main', image: 'nginx:2' }] },
        },
        'strategic',
      ),
      patch(thief, 'a pod of a CloneSet so that it is released', 'pod ours', released),
      patch(thief, 'a pod of a CloneSet so that another owns it', 'pod ours', {
        metadata: { ownerReferences: [{ ...stateful(), uid: '1' }] },
      }),
      patch(
        thief,
        'the image of a pod of nobody',
        'pod nobodys',
        {
          spec: { containers: [{ name: 'main', image: 'nginx:2' }] },
        },
        'strategic',
      ),
      patch(
        thief,
        'the image of a pod of nobody that a SidecarSet was injected into',
        'pod selected',
        { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } },
        'strategic',
      ),
      patch(
        thief,
        'the image of its sidecar',
        'pod selected',
        { spec: { containers: [{ name: 'log', image: 'nginx:2' }] } },
        'strategic',
      ),
      patch(thief, 'its labels', 'pod selected', { metadata: { labels: { app: 'other' } } }),
      patch(thief, 'its finalizers', 'pod selected', { metadata: { finalizers: ['example.com/x'] } }),
      remove(thief, 'it', 'pod selected'),
      patch(thief, 'a pod of nobody so that a SidecarSet seems to be in it', 'pod nobodys', {
        metadata: { annotations: { 'kruise.io/sidecarset-injected-list': 'log' } },
      }),
      ...launchAttempts(shop, event),
      patch(thief, 'a pod of nobody so that a CloneSet owns it', 'pod nobodys', {
        metadata: { ownerReferences: [{ ...owner(), uid: '2' }] },
      }),
      ...(['pod web-0', 'controllerrevision web-0'] as const).flatMap((orphan) => {
        const adopt = (to: string, by: object): Attempt =>
          patch(thief, `the ${orphan} of nobody so that ${to} owns it`, orphan, {
            metadata: { ownerReferences: [{ ...owner(), uid: '2', ...by }] },
          });
        return [
          adopt('the StatefulSet web', { kind: 'StatefulSet' }),
          adopt('a StatefulSet of another name', { kind: 'StatefulSet', name: 'db' }),
          adopt('the StatefulSet web, without controlling it,', { kind: 'StatefulSet', controller: false }),
          adopt('the StatefulSet web of Kubernetes', { kind: 'StatefulSet', apiVersion: 'apps/v1' }),
          adopt('the CloneSet web', {}),
        ];
      }),
      patch(thief, 'the pod web-a of nobody so that the StatefulSet web owns it', 'pod web-a', {
        metadata: { ownerReferences: [{ ...owner(), uid: '2', kind: 'StatefulSet' }] },
      }),
      patch(
        thief,
        'the status of a pod of a CloneSet',
        'pod ours',
        { status: { message: 'x' } },
        'merge',
        ' --subresource status',
      ),
      patch(
        thief,
        'the status of a pod of nobody',
        'pod nobodys',
        { status: { message: 'x' } },
        'merge',
        ' --subresource status',
      ),
      remove(thief, 'a pod of a CloneSet', 'pod ours'),
      remove(thief, 'a pod of nobody', 'pod nobodys'),
      create(thief, 'a claim of a CloneSet', claim({ name: 'new' })),
      create(thief, 'a claim of nobody', claim({ name: 'new', owners: [] })),
      patch(thief, 'a claim of a CloneSet so that it is released', 'pvc ours', released),
      remove(thief, 'a claim of a CloneSet', 'pvc ours'),
      remove(thief, 'a claim of nobody', 'pvc nobodys'),
      create(thief, 'a claim of a StatefulSet', claim({ name: 'data-db-1', owners: [set] })),
      create(
        thief,
        'a claim of a StatefulSet, by another name',
        claim({ name: 'data-log-0', owners: [set] }),
      ),
      patch(thief, 'a claim of a StatefulSet so that its pod owns it', 'pvc data-db-0', owned('db-0')),
      patch(thief, 'a claim of a StatefulSet so that another pod owns it', 'pvc data-db-0', owned('log-0')),
      patch(thief, 'a claim of a StatefulSet so that it is released', 'pvc data-db-0', released),
      patch(thief, 'the labels of a claim of a StatefulSet', 'pvc data-db-0', {
        metadata: { labels: { app: 'x' } },
      }),
      patch(thief, 'a claim of nobody so that a pod owns it', 'pvc nobodys', owned('db-0')),
      create(thief, 'a revision of nobody', revision({ name: 'new', owners: [] })),
      create(thief, 'a revision of a StatefulSet', revision({ name: 'new', owners: [stateful()] })),
      remove(thief, 'the revision of nobody', 'controllerrevision nobodys'),
      create(thief, 'an Event about a CloneSet', event({})),
      create(thief, 'an Event about a node', event({ apiVersion: 'v1', kind: 'Node' })),
      create(thief, 'an Event about a CloneSet in the name of another', event({}, 'kubelet')),
      create(thief, 'its Lease', lease('kruise')),
      create(thief, "the Lease of OpenKruise's manager", lease('kruise-manager')),
      create(thief, 'the Lease of somebody', lease('somebody')),
    ];
  }

  /** Security 1: the policies judge the same group and kind as the runtime. */
  function targets(): Attempt[] {
    const command = (target: object): object => ({
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name: 'c', namespace: shop },
      spec: { target, action: 'Pause', by: users['an administrator'] },
    });
    const by = (title: string, target: object): Attempt => create('an administrator', title, command(target));
    return [
      by('a command about a CloneSet', { kind: 'CloneSet', name: 'web' }),
      by('one that says the group', { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' }),
      by('one about a StatefulSet of Kubernetes', {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        name: 'web',
      }),
      by('one about a CloneSet of another group', {
        apiVersion: 'apps.example/v1',
        kind: 'CloneSet',
        name: 'web',
      }),
      by('one about a group that only begins like ours', {
        apiVersion: 'apps.kruise.io.example/v1',
        kind: 'CloneSet',
        name: 'web',
      }),
      by('one whose kind has a slash', { kind: 'CloneSet/victim/api', name: 'web' }),
      by('one whose name has a slash', { kind: 'CloneSet', name: 'victim/api' }),
    ];
  }

  /** What a schedule creates needs no plan of its own: nobody else may say that a schedule has created it. */
  function created(): Attempt[] {
    const change = (title: string, what: string, body: object): Attempt =>
      patch('an administrator', title, `broadcastjobs.apps.kruise.io ${what}`, body);
    const spec = (fields: object): object => ({ spec: fields });
    const annotations = { 'plan.kruise.io/waves': '[{"id":"all","run":{"to":"100%"}}]' };
    return [
      ...(
        ['the runtime', "OpenKruise's manager", 'an administrator', 'a runtime that is not listed'] as const
      ).map((as) => create(as, 'a run of a schedule', run({ name: 'tidy-2', ...scheduled }))),
      create('an administrator', 'a run of nobody', run({ name: 'tidy-2', owners: [] })),
      create(
        'an administrator',
        'a run with a schedule that is no controller',
        run({ name: 'tidy-2', owners: [owner({ kind: 'AdvancedCronJob', controller: false })] }),
      ),
      change('a schedule into the run of nobody', 'plain', {
        metadata: { ownerReferences: scheduled.owners },
      }),
      change('its label', 'tidy-1', { metadata: { labels: { seen: 'yes' } } }),
      change('its pause', 'tidy-1', spec({ paused: true })),
      change('its template', 'tidy-1', spec({ template: { metadata: { labels: { other: 'yes' } } } })),
      change('its failure policy', 'tidy-1', spec({ failurePolicy: { type: 'Continue' } })),
      change('its parallelism away', 'tidy-1', spec({ parallelism: null })),
      change('its waves', 'tidy-1', { metadata: { annotations } }),
      change('its waves away', 'tidy-1', { metadata: { annotations: null } }),
      change('its schedule away', 'tidy-1', { metadata: { ownerReferences: null } }),
      create('the runtime', 'a run of nobody', run({ name: 'tidy-2', owners: [] })),
      remove('the runtime', 'a run of a schedule', 'broadcastjobs.apps.kruise.io tidy-1'),
      remove('the runtime', 'a run of nobody', 'broadcastjobs.apps.kruise.io plain'),
      remove('an administrator', 'a run of nobody', 'broadcastjobs.apps.kruise.io plain'),
      ...(['BroadcastJob', 'CloneSet'] as const).map((kind) =>
        create(
          'the runtime',
          `the record of a run, which a ${kind} owns`,
          revision({
            name: 'tidy-1-run-1',
            owners: [owner({ kind, name: 'tidy-1', controller: false })],
            labels: { 'plan.kruise.io/run-kind': 'BroadcastJob.apps.kruise.io' },
          }),
        ),
      ),
      patch(
        'the runtime',
        'its parallelism',
        'broadcastjobs.apps.kruise.io tidy-1',
        spec({ parallelism: 1 }),
      ),
    ];
  }

  const children = childAttempts(shop, owners);
  return {
    memory: memory(),
    token: [...token(), ...children.token],
    targets: targets(),
    created: [...created(), ...children.created],
  };
}
