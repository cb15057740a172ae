import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import { apiVersionOf, type Served } from '../api/registry.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { objectType } from './atom.ts';
import { typeErrors } from './check.ts';

/** The object name in messages. */
function nameOf(config: Fields): string {
  const metadata = isFields(config['metadata']) ? config['metadata'] : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return `${text(metadata['namespace'])}/${text(metadata['name'])}`;
}

/** 400 for a configuration of another kind or with managedFields, 500 if its types are wrong. */
export function checkConfig(
  served: Pick<Served, 'version'> & { type: Pick<Served['type'], 'group' | 'kind'> },
  config: unknown,
): asserts config is KubeObject {
  const { type, version } = served;
  if (!isFields(config)) throw refuse.badRequest('the configuration to apply is no object');
  const { apiVersion, kind, metadata } = config;
  if (apiVersion !== apiVersionOf(type.group, version.version) || kind !== type.kind) {
    const [found = '', group = ''] = (typeof apiVersion === 'string' ? apiVersion : '').split('/').reverse();
    const shown = `${group}/${found}, Kind=${typeof kind === 'string' ? kind : ''}`;
    throw refuse.badRequest(`invalid object type: ${shown}`);
  }
  if (isFields(metadata) && metadata['managedFields'] !== undefined && metadata['managedFields'] !== null)
    throw refuse.badRequest('metadata.managedFields must be nil');
  const errors = typeErrors(objectType(version), config);
  if (errors === '') return;
  const shown = `${nameOf(config)}; ${type.group}/${version.version}, Kind=${type.kind}`;
  // An internal error without a reason, as in the API server's response.
  throw new ApiError({
    code: 500,
    reason: '',
    message: `failed to create typed patch object (${shown}): ${errors}`,
  });
}

/** The apply configuration of a request body. `metadata: null` is metadata without a field, as the types of it allow null. */
export function configOf(served: Served, body: unknown): KubeObject {
  checkConfig(served, body);
  return isFields(body.metadata) ? body : { ...body, metadata: {} as KubeObject['metadata'] };
}
