import { HostError } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { type Api, at, type Comment, listOf, PAGE, request, type Thread, variable } from './forge.ts';

const MOST_EVENT_BYTES = 32 * 1024 ** 2;

/**
 * The comments of the pull request that a run of GitHub Actions is about; or, as words, why there is none. Which one it is comes from
 * the event and the API alone: what the run of a pull request leaves behind may be forged. Throws a `HostError`.
 *
 * @param author the login of the account that posts
 */
export async function githubThread(host: Host, author: string): Promise<Thread | string> {
  const { env } = host;
  const api = {
    url: variable(env, 'GITHUB_API_URL'),
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${variable(env, 'GITHUB_TOKEN')}`,
    },
  };
  const repository = variable(env, 'GITHUB_REPOSITORY');
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new HostError('GITHUB_REPOSITORY is no repository');
  const number = await pullRequest(api, repository, eventOf(host));
  return typeof number === 'string' ? number : thread(api, `/repos/${repository}`, number, author);
}

function eventOf(host: Host): unknown {
  const path = variable(host.env, 'GITHUB_EVENT_PATH');
  try {
    return JSON.parse(new TextDecoder().decode(host.readFile(path, MOST_EVENT_BYTES)));
  } catch (error) {
    if (error instanceof SyntaxError) throw new HostError('the event is no JSON');
    throw error;
  }
}

/** The number of the pull request of an event. A run for a fork does not name it, so that it is found by its head. */
async function pullRequest(api: Api, repository: string, event: unknown): Promise<number | string> {
  const own = at(event, 'pull_request', 'number');
  if (typeof own === 'number') return own;
  const run = at(event, 'workflow_run');
  const [sha, branch, owner, head] = [
    at(run, 'head_sha'),
    at(run, 'head_branch'),
    at(run, 'head_repository', 'owner', 'login'),
    at(run, 'head_repository', 'id'),
  ];
  if (typeof sha !== 'string' || typeof branch !== 'string' || typeof owner !== 'string')
    return 'the event is about no pull request';
  const query = `state=open&per_page=${PAGE}&head=${encodeURIComponent(`${owner}:${branch}`)}`;
  const path = `/repos/${repository}/pulls?${query}`;
  const found = listOf(await request(api, path), 'pull requests').filter(
    (pull) => at(pull, 'head', 'sha') === sha && at(pull, 'head', 'repo', 'id') === head,
  );
  const numbers = found.flatMap((pull) => {
    const number = at(pull, 'number');
    return typeof number === 'number' ? [number] : [];
  });
  const [number] = numbers;
  if (number === undefined)
    return 'no open pull request has that commit as its head: a newer one has a run of its own';
  return numbers.length > 1 ? 'several pull requests have that commit as their head' : number;
}

function thread(api: Api, base: string, pull: number, author: string): Thread {
  const comments = `${base}/issues/${pull}/comments`;
  return {
    name: `pull request ${pull}`,
    async page(number) {
      const path = `${comments}?per_page=${PAGE}&page=${number}`;
      return listOf(await request(api, path), 'comments').map((each) => commentOf(each, author));
    },
    async create(body) {
      await request(api, comments, { method: 'POST', body: { body } });
    },
    async replace(id, body) {
      await request(api, `${base}/issues/comments/${id}`, { method: 'PATCH', body: { body } });
    },
  };
}

function commentOf(answer: unknown, author: string): Comment {
  const [id, body] = [at(answer, 'id'), at(answer, 'body')];
  return {
    id: typeof id === 'number' ? id : 0,
    body: typeof body === 'string' ? body : '',
    isOwn: at(answer, 'user', 'login') === author && typeof id === 'number',
  };
}
