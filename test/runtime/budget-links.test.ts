import { afterEach, expect, test } from 'vitest';
import { failing } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { at, budget, deployment, endSite, MINUTE, site } from './budget-site.ts';

afterEach(endSite);

const LINK = 'pub.kruise.io/related-pub';

/** A cluster that refuses to link pods of other names than these. */
function refusing(accepted: { names: ReadonlySet<string> }) {
  return (cluster: Cluster): Cluster =>
    failing(cluster, ({ verb, resource, name, sends }) => {
      if (verb !== 'patch' || resource.plural !== 'pods' || accepted.names.has(name)) return undefined;
      const { annotations } = objectOf(objectOf(sends)['metadata']);
      if (objectOf(annotations)[LINK] === undefined) return undefined;
      return new ApiError({
        code: 403,
        reason: 'Forbidden',
        message: `pods "${name}" is forbidden: no links`,
      });
    });
}

const namesOf = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name).sort();
const linked = (pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata }) => metadata.annotations?.[LINK] === 'web');

async function heldOf(user: Cluster): Promise<string | undefined> {
  const { status } = (await user.get(resources.PodUnavailableBudget, at('web'))) as {
    status?: { conditions?: { type: string; status: string; message: string }[] };
  };
  return status?.conditions?.find((each) => each.status === 'True')?.message;
}

test('a link that the server refuses is reported, and the budget is counted and its other pods are linked', async () => {
  const accepted = { names: new Set<string>() };
  const { user, clock, pods, counts, errors } = await site(
    [deployment('one', 3), budget()],
    refusing(accepted),
  );
  const [first = '', ...others] = namesOf(await pods());
  accepted.names = new Set(others);
  await clock.advance(MINUTE);
  expect([namesOf(linked(await pods())), await counts()]).toEqual([others, '1/3/2/3']);
  expect(await heldOf(user)).toBe(
    `a pod cannot be updated: pods "${first}" is forbidden: no links. Grant the right or change what refuses it. It is retried every 30s`,
  );
  const { items } = await user.list(resources.Event, { namespace: 'shop' });
  expect(items.map(({ message }) => message)).toContain(`link: pods "${first}" is forbidden: no links`);
  expect(errors).toEqual([]);
  accepted.names = new Set([first, ...others]);
  await clock.advance(MINUTE);
  expect([namesOf(linked(await pods())).length, await heldOf(user)]).toEqual([3, undefined]);
});

test('links that are always refused keep no others from being tried', async () => {
  const accepted = { names: new Set<string>() };
  const { clock, pods, errors } = await site([deployment('one', 80), budget()], refusing(accepted));
  // More than one batch before those that are accepted.
  const last = namesOf(await pods()).slice(70);
  accepted.names = new Set(last);
  await clock.advance(3 * MINUTE);
  expect([namesOf(linked(await pods())), errors]).toEqual([last, []]);
});
