import type { Attempt, User } from './attempt.ts';
import { objectsIn, type Owners } from './objects.ts';

const image = (version: number): object => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: `nginx:${version}` }] } } },
});

/** Writes to CloneSets: `zones-a` is the child of the UnitedDeployment zones, and `web` is of nobody. */
export function childAttempts(shop: string, owners: Owners): Record<'token' | 'created', Attempt[]> {
  const { owner, workload, united } = objectsIn(shop, owners);
  const create = (as: User, title: string, object: object): Attempt => ({
    as,
    title: `creates ${title}`,
    line: 'create -f -',
    object,
  });
  const patch = (as: User, title: string, name: string, body: object, more = ''): Attempt => ({
    as,
    title: `patches ${title}`,
    line: `patch cloneset ${name} -n ${shop} --type merge -p '${JSON.stringify(body)}'${more}`,
  });
  const remove = (as: User, title: string, name: string): Attempt => ({
    as,
    title: `deletes ${title}`,
    line: `delete cloneset ${name} -n ${shop}`,
  });
  const owned = (...ownerReferences: object[]): object => ({ metadata: { ownerReferences } });
  const annotated = (annotations: object): object => ({ metadata: { annotations } });
  const thief: User = 'the runtime';
  const admin: User = 'an administrator';

  const token: Attempt[] = [
    create(thief, 'a child of a UnitedDeployment', workload({ name: 'zones-b' })),
    create(thief, 'a CloneSet of nobody', workload({ name: 'zones-b', owners: [] })),
    create(thief, 'a CloneSet of another CloneSet', workload({ name: 'zones-b', owners: [owner()] })),
    create(
      thief,
      'a child that a UnitedDeployment does not control',
      workload({ name: 'zones-b', owners: [{ ...united, controller: false }] }),
    ),
    create(thief, 'a child in kube-system', workload({ name: 'zones-b', namespace: 'kube-system' })),
    create(
      thief,
      'a child whose pods have the account of the runtime',
      workload({ name: 'zones-b' }, { serviceAccountName: 'kruise-runtime' }),
    ),
    patch(thief, 'the template of a child', 'zones-a', image(2)),
    patch(thief, 'the template of a CloneSet of nobody', 'web', image(2)),
    patch(thief, 'the replicas of a CloneSet of nobody', 'web', { spec: { replicas: 9 } }),
    patch(thief, 'a CloneSet of nobody into a child', 'web', owned(united)),
    patch(thief, 'a child so that it is released', 'zones-a', owned()),
    patch(
      thief,
      'a child so that another UnitedDeployment owns it',
      'zones-a',
      owned({ ...united, uid: '1' }),
    ),
    patch(
      thief,
      'a child so that a CloneSet owns it as well',
      'zones-a',
      owned(united, owner({ controller: false })),
    ),
    patch(thief, 'a child so that nothing controls it', 'zones-a', owned({ ...united, controller: false })),
    patch(thief, 'the account of the runtime into a child', 'zones-a', {
      spec: { template: { spec: { serviceAccountName: 'kruise-runtime' } } },
    }),
    remove(thief, 'a child', 'zones-a'),
    remove(thief, 'a CloneSet of nobody', 'web'),
  ];

  const created: Attempt[] = [
    ...(['the runtime', "OpenKruise's manager", admin, 'a runtime that is not listed'] as const).map((as) =>
      create(as, 'a child of a UnitedDeployment', workload({ name: 'zones-b' })),
    ),
    create(
      admin,
      'a child with a UnitedDeployment that is no controller',
      workload({ name: 'zones-b', owners: [{ ...united, controller: false }] }),
    ),
    patch(admin, 'a UnitedDeployment into the CloneSet of nobody', 'web', owned(united)),
    patch(admin, 'the label of a child', 'zones-a', { metadata: { labels: { seen: 'yes' } } }),
    patch(admin, 'its pause', 'zones-a', { spec: { paused: true } }),
    patch(admin, 'its template', 'zones-a', image(2)),
    patch(admin, 'its partition', 'zones-a', {
      spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
    }),
    patch(admin, 'its replicas', 'zones-a', { spec: { replicas: 9 } }),
    patch(admin, 'its replicas by its scale', 'zones-a', { spec: { replicas: 9 } }, ' --subresource scale'),
    patch(admin, 'its share', 'zones-a', annotated({ 'plan.kruise.io/share': '{}' })),
    patch(admin, 'its share away', 'zones-a', annotated({ 'plan.kruise.io/share': null })),
    patch(admin, 'its owner away', 'zones-a', owned()),
    remove(admin, 'it', 'zones-a'),
  ];

  return { token, created };
}
