import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { recordedForge, type RecordedForge } from '../cli/comment/recorded-forge.ts';
import { root } from './cluster.ts';

const folder = join(root, 'deploy/ci/github/comment');
const ARTIFACTS = '/repos/shop/apps/actions/runs/9/artifacts';

/** Whether the comment may be replaced, and what the job shows. */
async function asked(forge: RecordedForge): Promise<{ isMissing: boolean; out: string }> {
  const about = { GITHUB_API_URL: forge.url, GITHUB_REPOSITORY: 'shop/apps', RUN: '9', TOKEN: 'secret' };
  return new Promise((resolve) => {
    const env = { ...about, RESULT: 'kruise-plan-prod' };
    execFile(process.execPath, [join(folder, 'missing.mjs')], { env }, (error, out) =>
      resolve({ isMissing: error === null, out }),
    );
  });
}

test('a run that left no result is no failure to fetch one', async () => {
  const forge = await recordedForge({ [ARTIFACTS]: { total_count: 0, artifacts: [] } });
  expect(await asked(forge)).toEqual({ isMissing: true, out: '' });
  const [{ path, authorization } = { path: '', authorization: '' }] = forge.asked;
  expect([path, authorization]).toEqual([`${ARTIFACTS}?name=kruise-plan-prod`, 'Bearer secret']);
});

test.each<[string, unknown, number, string]>([
  ['a result that is there', { total_count: 1 }, 200, 'it may have expired'],
  ['a token without the right', {}, 403, 'the forge answers 403'],
  ['a forge that fails', {}, 503, 'the forge answers 503'],
  ['an answer that is none', {}, 200, 'undefined'],
])('%s ends the job, and the comment stays', async (_what, answer, status, why) => {
  const { isMissing, out } = await asked(
    await recordedForge({ [ARTIFACTS]: answer }, { [ARTIFACTS]: status }),
  );
  expect(isMissing).toBe(false);
  expect(out).toMatch(/^::error::the result of kruise plan could not be fetched \(.*\): the comment stays/);
  expect(out).toContain(why);
  expect(out).not.toContain('secret');
});

test('the action asks where the download failed, before it comments', () => {
  const { runs } = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as {
    runs: { steps: { id?: string; if?: string; run?: string }[] };
  };
  const asks = runs.steps.findIndex(({ run = '' }) => run.includes('missing.mjs'));
  expect(runs.steps[asks]?.if).toBe("steps.download.outcome == 'failure'");
  expect(runs.steps.findIndex(({ id }) => id === 'download')).toBe(asks - 1);
  expect(runs.steps.findIndex(({ run = '' }) => run.includes(' comment '))).toBeGreaterThan(asks);
});
