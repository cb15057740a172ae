import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { budgetRequests, type BudgetRequest } from './budget-requests.ts';
import { canPolice, isSandbox, police } from './policed.ts';

const shop = `kruise-budgets-${process.pid}`;
const NAME = 'unavailable-budgets.plan.kruise.io';
const REFUSED = 'protects pod';

describe.skipIf(!canPolice)('the policy of budgets', () => {
  const { kubectl, done, install, until, close } = police([shop]);

  async function stored(object: KubeObject): Promise<void> {
    const { status, ...rest } = object;
    await done(`create -n ${shop} -f -`, JSON.stringify(rest));
    if (status === undefined) return;
    const resource = object.kind === 'Pod' ? 'pod' : 'podunavailablebudget';
    const patch = JSON.stringify({ status });
    await done(
      `patch ${resource} ${object.metadata.name} -n ${shop} --subresource=status --type=merge -p '${patch}'`,
    );
  }

  /** What comes of the request, as a dry run: `passes`, or the refusal. */
  async function answer({ pod, request, as }: BudgetRequest): Promise<string> {
    const who = as === undefined ? '' : ` --as ${as}`;
    const { name } = pod.metadata;
    const { code, err } =
      request === 'DELETE'
        ? await kubectl(`delete pod ${name} -n ${shop} --dry-run=server --wait=false${who}`)
        : await kubectl(
            `patch pod ${name} -n ${shop} --dry-run=server --type=${request.type ?? 'strategic'} ${request.subresource === undefined ? '' : `--subresource=${request.subresource} `}-p '${JSON.stringify(request.patch)}'${who}`,
          );
    return code === 0 ? 'passes' : err;
  }

  beforeAll(async () => {
    await done(`create namespace ${shop}`);
    await install({ components: ['budget-protection'] });
    const [probe] = budgetRequests.filter(({ refusal }) => refusal !== undefined);
    if (probe === undefined) throw new Error('no case is refused');
    await stored({ ...probe.budget, metadata: { name: 'probe' } });
    const annotations = { 'pub.kruise.io/related-pub': 'probe' };
    const pod = { ...probe.pod, metadata: { ...probe.pod.metadata, name: 'probe', annotations } };
    await stored(pod);
    await until('the policy is in force', async () => (await answer({ ...probe, pod })).includes(REFUSED));
  }, 120_000);

  afterAll(async () => {
    await kubectl(`delete --ignore-not-found validatingadmissionpolicybindings ${NAME}`);
    await kubectl(`delete namespace ${shop} --ignore-not-found --wait=false`);
    await close();
  });

  // A sandbox evaluates policies, and does not check their types.
  test.skipIf(isSandbox)('is sound to the server', async () => {
    await done(
      `wait validatingadmissionpolicy/${NAME} --for=jsonpath={.status.observedGeneration} --timeout=30s`,
    );
    expect(await done(`get validatingadmissionpolicy ${NAME} -o jsonpath={.status.typeChecking}`)).toBe('{}');
  });

  test.each(budgetRequests)('$title', async (each) => {
    await stored(each.budget);
    await stored(each.pod);
    const answered = await answer(each);
    if (each.refusal === undefined) expect(answered).toBe('passes');
    else {
      expect(answered).toContain('(Forbidden)');
      expect(answered).toContain(
        `PodUnavailableBudget ${each.budget.metadata.name} ${REFUSED} ${each.pod.metadata.name}${each.refusal}`,
      );
    }
  });

  test('without the definition of its parameter requests pass', async () => {
    const [, refused] = budgetRequests.filter(({ refusal }) => refusal !== undefined);
    if (refused === undefined) throw new Error('no second case is refused');
    expect(await answer(refused)).toContain(REFUSED);
    // Of another server only what this file has installed is removed.
    if (!isSandbox) return;
    await done('delete customresourcedefinition podunavailablebudgets.policy.kruise.io');
    await until('the definition is gone', async () => (await answer(refused)) === 'passes');
  });
});
