import type { KubeObject } from '../../schemas/wire/object.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { locationOf, type ApiContext } from './context.ts';
import { createObject } from './create.ts';
import type { Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { checkIdentity, replaceObject } from './update.ts';

/** PUT: replaces an object, and creates it if the kind allows that. */
export function putObject(
  context: ApiContext,
  user: string,
  served: Served,
  body: unknown,
  options: RequestOptions,
): KubeObject {
  const { type } = served;
  const metadata = isFields(body) && isFields(body['metadata']) ? body['metadata'] : undefined;
  const { name, namespace, uid = '' } = metadata ?? {};
  if (
    type.rules.createsOnUpdate !== true ||
    options.subresource !== undefined ||
    uid !== '' ||
    !isFields(body)
  )
    return replaceObject(context, user, served, body, options);
  const location = locationOf(
    served,
    options.at ?? {
      name: typeof name === 'string' ? name : '',
      ...(typeof namespace === 'string' ? { namespace } : {}),
    },
  );
  if (context.store.read(type.id, location.namespace, location.name) !== undefined)
    return replaceObject(context, user, served, body, options);
  if (metadata !== undefined) checkIdentity(served, body as unknown as KubeObject, location);
  const placed = {
    ...metadata,
    name: location.name,
    ...(type.namespaced ? { namespace: location.namespace } : {}),
  };
  return createObject(context, user, served, { ...body, metadata: placed }, options);
}
