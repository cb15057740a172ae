import { HostError } from '../../compiler/host.ts';
import type { Host } from '../host.ts';
import { at, listOf, PAGE, request, type Thread, variable } from './forge.ts';

/** The variable with the token of the account that writes notes. */
const TOKEN = 'KRUISE_NOTE_TOKEN';

/** The notes of the merge request that a pipeline of GitLab is for. Throws a `HostError`. */
export async function gitlabThread({ env }: Host): Promise<Thread> {
  const api = { url: variable(env, 'CI_API_V4_URL'), headers: { 'private-token': variable(env, TOKEN) } };
  const project = numberIn(env, 'CI_MERGE_REQUEST_PROJECT_ID');
  const iid = numberIn(env, 'CI_MERGE_REQUEST_IID');
  const own = at(await request(api, '/user'), 'id');
  if (typeof own !== 'number') throw new HostError(`${TOKEN} is the token of no account`);
  const notes = `/projects/${project}/merge_requests/${iid}/notes`;
  return {
    name: `merge request ${iid}`,
    async page(number) {
      const path = `${notes}?per_page=${PAGE}&page=${number}&sort=asc&order_by=created_at`;
      return listOf(await request(api, path), 'notes').map((note) => {
        const [id, body] = [at(note, 'id'), at(note, 'body')];
        return {
          id: typeof id === 'number' ? id : 0,
          body: typeof body === 'string' ? body : '',
          isOwn: at(note, 'author', 'id') === own && typeof id === 'number',
        };
      });
    },
    async create(body) {
      await request(api, notes, { method: 'POST', body: { body } });
    },
    async replace(id, body) {
      await request(api, `${notes}/${id}`, { method: 'PUT', body: { body } });
    },
  };
}

function numberIn(env: Host['env'], name: string): string {
  const value = variable(env, name);
  if (!/^[0-9]{1,15}$/.test(value)) throw new HostError(`${name} is no number`);
  return value;
}
