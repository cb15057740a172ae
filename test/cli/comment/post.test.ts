import { beforeAll, describe, expect, test } from 'vitest';
import { jsonPlan } from '../../../compiler/render/machine.ts';
import { compiledFleet, fleet } from '../../compiler/world/fleet.ts';
import { kruise } from '../../compiler/world/manifests.ts';
import { recordedForge, type RecordedForge } from './recorded-forge.ts';

const BOT = 'github-actions[bot]';
const MARKER = '<!-- kruise plan -->\n';
const SHA = 'a'.repeat(40);
const COMMENTS = '/repos/shop/apps/issues/7/comments';
const NOTES = '/projects/5/merge_requests/7/notes';

let json = '';
beforeAll(() => {
  json = jsonPlan(compiledFleet(fleet(21, 42).files));
});

/** A run after the pipeline of a pull request from a fork, whose event names no pull request. */
const fromFork = {
  workflow_run: {
    head_sha: SHA,
    head_branch: 'feature',
    head_repository: { id: 99, owner: { login: 'mona' } },
    pull_requests: [],
  },
};
const pull = (number: number, sha = SHA, repository = 99) => ({
  number,
  head: { sha, repo: { id: repository } },
});

async function post(forge: RecordedForge, event: unknown, document = json, ...args: readonly string[]) {
  const { host, code } = await kruise(
    { '/event.json': JSON.stringify(event) },
    {
      args: ['comment', '-', '--post', 'github', ...args],
      stdin: document,
      env: {
        GITHUB_API_URL: forge.url,
        GITHUB_REPOSITORY: 'shop/apps',
        GITHUB_TOKEN: 'secret',
        GITHUB_EVENT_PATH: '/event.json',
      },
    },
  );
  return { code, out: host.out, err: host.err };
}

const body = async (): Promise<string> => {
  const { host } = await kruise({}, { args: ['comment', '-'], stdin: json });
  return MARKER + host.out;
};

describe('on GitHub', () => {
  test('a run for a fork finds its pull request by its head, and comments', async () => {
    const forge = await recordedForge({
      '/repos/shop/apps/pulls': [pull(6, 'b'.repeat(40)), pull(5, SHA, 98), pull(7)],
      [COMMENTS]: [],
    });
    expect(await post(forge, fromFork)).toEqual({ code: 0, out: 'commented on pull request 7\n', err: '' });
    expect(forge.asked[0]?.path).toBe('/repos/shop/apps/pulls?state=open&per_page=100&head=mona%3Afeature');
    expect(forge.written()).toEqual([
      { method: 'POST', path: COMMENTS, authorization: 'Bearer secret', body: { body: await body() } },
    ]);
  });

  test('a branch that has moved on since gets no comment about an older commit', async () => {
    const forge = await recordedForge({ '/repos/shop/apps/pulls': [pull(7, 'b'.repeat(40))] });
    const { code, out } = await post(forge, fromFork);
    expect([code, out]).toEqual([
      0,
      'no open pull request has that commit as its head: a newer one has a run of its own\n',
    ]);
    expect(forge.written()).toEqual([]);
  });

  test('what the JSON says of pull requests counts for nothing', async () => {
    const forge = await recordedForge({ '/repos/shop/apps/pulls': [pull(7)], [COMMENTS]: [] });
    const document = JSON.stringify({
      ...(JSON.parse(json) as object),
      number: 1,
      pull_request: { number: 1 },
    });
    await post(forge, fromFork, document);
    expect(forge.written().map(({ path }) => path)).toEqual([COMMENTS]);
  });

  test('the comment of an earlier run is replaced, also on a later page, and never that of somebody else', async () => {
    const forged = { id: 1, body: `${MARKER}mine`, user: { login: 'mallory' } };
    const quoting = { id: 2, body: `see ${MARKER}`, user: { login: BOT } };
    const others = Array.from({ length: 98 }, (_, index) => ({
      id: 100 + index,
      body: '',
      user: { login: 'x' },
    }));
    const own = { id: 3, body: `${MARKER}old`, user: { login: BOT } };
    const forge = await recordedForge({
      [COMMENTS]: (query: URLSearchParams) =>
        query.get('page') === '1' ? [forged, quoting, ...others] : [own],
    });
    const { out } = await post(forge, { pull_request: { number: 7 } });
    expect(out).toBe('replaced the comment on pull request 7\n');
    expect(forge.written()).toMatchObject([{ method: 'PATCH', path: '/repos/shop/apps/issues/comments/3' }]);
  });

  test('an equal comment stays, whatever the line breaks', async () => {
    const same = { id: 3, body: (await body()).trimEnd().replaceAll('\n', '\r\n'), user: { login: BOT } };
    const forge = await recordedForge({ [COMMENTS]: [same] });
    const { out } = await post(forge, { pull_request: { number: 7 } });
    expect([out, forge.written()]).toEqual(['the comment on pull request 7 is up to date\n', []]);
  });

  test('another account posts with its own name', async () => {
    const own = { id: 3, body: `${MARKER}old`, user: { login: 'robot' } };
    const forge = await recordedForge({ [COMMENTS]: [own] });
    await post(forge, { pull_request: { number: 7 } }, json, '--author', 'robot');
    expect(forge.written()[0]?.method).toBe('PATCH');
  });

  test('no changes: no first comment', async () => {
    const forge = await recordedForge({ [COMMENTS]: [] });
    const empty = JSON.stringify({
      format: '1',
      summary: 'Plan: nothing to roll out.',
      groups: [],
      diagnostics: [],
    });
    const { out } = await post(forge, { pull_request: { number: 7 } }, empty);
    expect([out, forge.written()]).toEqual(['nothing to say on pull request 7\n', []]);
  });

  test('a check that was refused is a reason for a first comment, and replaces an earlier one', async () => {
    const refused = { problem: 'there is no nowhere', help: 'fetch it' };
    const document = { format: '1', known: false, summary: refused.problem, refused };
    const text = `${MARKER}# The check could not be made\n\nthere is no nowhere\n\nhelp: fetch it\n\nWhat changes is known once this is mended.\n`;
    const old = { id: 2, body: `${MARKER}# All is well`, user: { login: BOT } };
    for (const [before, method] of [
      [[], 'POST'],
      [[old], 'PATCH'],
    ] as const) {
      const forge = await recordedForge({ [COMMENTS]: before });
      expect((await post(forge, { pull_request: { number: 7 } }, JSON.stringify(document))).code).toBe(0);
      expect(forge.written()).toMatchObject([{ method, body: { body: text } }]);
    }
  });

  describe.each<[string, () => string]>([
    ['JSON that was tampered with', () => json.replace('"mark": "', '"mark": "<img>')],
    ['no JSON', () => ''],
    ['half of it', () => json.slice(0, json.length / 2)],
  ])('%s', (_what, document) => {
    test('is refused, and is no reason for a first comment', async () => {
      const forge = await recordedForge({ [COMMENTS]: [] });
      const { code, err } = await post(forge, { pull_request: { number: 7 } }, document());
      expect([code, forge.written()]).toEqual([1, []]);
      expect(err).toMatch(/^kruise comment: (?:<stdin>|standard input)/);
    });

    test('takes back what an earlier run said, without any text of its own', async () => {
      const own = { id: 2, body: `${MARKER}# All is well`, user: { login: BOT } };
      const forge = await recordedForge({ [COMMENTS]: [own] });
      const { code } = await post(forge, { pull_request: { number: 7 } }, document());
      expect(code).toBe(1);
      const [{ method, body: written } = { method: '', body: {} }] = forge.written();
      expect(method).toBe('PATCH');
      expect((written as { body: string }).body).toBe(
        `${MARKER}# The check could not be made\n\nThere is no result that can be read: see the job. What stood here before is out of date.\n`,
      );
    });
  });

  test('two names have two comments, each replaced by its own', async () => {
    const comment = (id: number, name: string) => ({
      id,
      body: `<!-- kruise plan${name} -->\nold`,
      user: { login: BOT },
    });
    const all = [comment(1, ''), comment(2, ' prod'), comment(3, ' prod-eu')];
    const replaced = async (...args: string[]): Promise<string[]> => {
      const forge = await recordedForge({ [COMMENTS]: all });
      await post(forge, { pull_request: { number: 7 } }, json, ...args);
      return forge.written().map(({ path }) => path);
    };
    expect(await replaced()).toEqual(['/repos/shop/apps/issues/comments/1']);
    expect(await replaced('--name', 'prod')).toEqual(['/repos/shop/apps/issues/comments/2']);
    expect(await replaced('--name', 'prod-eu')).toEqual(['/repos/shop/apps/issues/comments/3']);
  });

  test.each(['', 'A', 'a b', '-a', 'a-', '-->', 'a'.repeat(41)])('%j is no name', async (name) => {
    const forge = await recordedForge({ [COMMENTS]: [] });
    const { code, err } = await post(forge, { pull_request: { number: 7 } }, json, `--name=${name}`);
    expect([code, forge.asked]).toEqual([1, []]);
    expect(err).toContain('--name');
  });

  test('an answer that refuses is reported without the token', async () => {
    const forge = await recordedForge({ [COMMENTS]: [] }, { [COMMENTS]: 403 });
    const { code, err } = await post(forge, { pull_request: { number: 7 } });
    expect(code).toBe(1);
    expect(err).toContain(`GET ${COMMENTS}?per_page=100&page=1: the forge answers 403`);
    expect(err).not.toContain('secret');
  });
});

describe('on GitLab', () => {
  const postNote = async (forge: RecordedForge, env: Record<string, string> = {}) => {
    const variables = {
      CI_API_V4_URL: forge.url,
      CI_MERGE_REQUEST_PROJECT_ID: '5',
      CI_MERGE_REQUEST_IID: '7',
      KRUISE_NOTE_TOKEN: 'secret',
      ...env,
    };
    const { host, code } = await kruise(
      {},
      { args: ['comment', '-', '--post', 'gitlab'], stdin: json, env: variables },
    );
    return { code, out: host.out, err: host.err };
  };

  test('a note is written once, and replaced by the account of the token alone', async () => {
    const first = await recordedForge({ '/user': { id: 40 }, [NOTES]: [] });
    expect((await postNote(first)).out).toBe('commented on merge request 7\n');
    expect(first.written()).toMatchObject([{ method: 'POST', path: NOTES, authorization: 'secret' }]);
    const forged = { id: 1, body: `${MARKER}mine`, author: { id: 41 } };
    const own = { id: 2, body: `${MARKER}old`, author: { id: 40 } };
    const again = await recordedForge({ '/user': { id: 40 }, [NOTES]: [forged, own] });
    expect((await postNote(again)).out).toBe('replaced the comment on merge request 7\n');
    expect(again.written()).toMatchObject([{ method: 'PUT', path: `${NOTES}/2` }]);
  });

  test('without a token, as in the pipeline of a fork, it says what is missing', async () => {
    const forge = await recordedForge({});
    const { code, err } = await postNote(forge, { KRUISE_NOTE_TOKEN: '' });
    expect([code, forge.asked]).toEqual([1, []]);
    expect(err).toContain('KRUISE_NOTE_TOKEN is not set');
  });
});
