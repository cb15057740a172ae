import { createHash } from 'node:crypto';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { groupDiscovery } from '../discovery/aggregated.ts';
import { coreVersions, groupDocument, groupList, resourceList } from '../discovery/legacy.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import { negotiate } from './negotiate.ts';
import { openApi, openApiV2 } from './openapi.ts';
import { jsonReply, pageNotFound, plainReply, refusalReply, type Reply } from './reply.ts';
import { serveResource } from './resource.ts';
import { permitted } from './permission.ts';
import { routeOf } from './route.ts';
import { frontRefusal } from './status.ts';
import { unknownVersion } from './unknown.ts';
import { serverVersion } from './version.ts';
import { Waiting, withAnswers } from '../webhooks/answers.ts';

/** Non-resource paths; `/` lists them. */
function rootPaths({ server }: FrontContext): object {
  const paths = new Set(['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version']);
  for (const { group, versions } of server.registry.types()) {
    const base = group === '' ? '/api' : `/apis/${group}`;
    paths.add(base);
    for (const version of versions.keys()) paths.add(`${base}/${version}`);
  }
  return { paths: [...paths].sort() };
}

function health(check: string, part: string | undefined, query: URLSearchParams): Reply {
  if (part !== undefined && part !== 'ping') return pageNotFound();
  if (part === undefined && query.has('verbose'))
    return plainReply(200, `[+]ping ok\n${check} check passed\n`);
  return plainReply(200, 'ok');
}

function discovery(
  context: FrontContext,
  exchange: Exchange,
  root: 'core' | 'named',
  legacy: () => object,
): Reply {
  const shape = negotiate(exchange.accept, ['APIGroupDiscoveryList']);
  if (shape.as !== 'APIGroupDiscoveryList') return jsonReply(200, JSON.stringify(legacy()), exchange.output);
  const document = JSON.stringify(groupDiscovery(context.server.registry, root, shape.version));
  const tag = `"${createHash('sha512').update(document).digest('hex').toUpperCase()}"`;
  const headers = { 'Cache-Control': 'public', ETag: tag, Vary: 'Accept' };
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${shape.version};as=APIGroupDiscoveryList`;
  if (exchange.ifNoneMatch === tag) return { type: 'text', code: 304, contentType, text: '', headers };
  return { ...jsonReply(200, document, exchange.output, headers), contentType };
}

function answer(context: FrontContext, received: Exchange): Reply {
  const { registry } = context.server;
  const route = routeOf(received.path);
  const exchange = permitted(context, received, route);
  const json = (value: object) => jsonReply(200, JSON.stringify(value), exchange.output);
  const found = (value: object | undefined, otherwise: () => Reply) =>
    value === undefined ? otherwise() : json(value);
  if (route.type === 'resource') return serveResource(context, exchange, route);
  if (route.type === 'unknown') return pageNotFound();
  if (route.type === 'health') return health(route.check, route.part, exchange.query);
  if (exchange.method !== 'GET') throw frontRefusal.methodNotAllowed();
  switch (route.type) {
    case 'root':
      return json(rootPaths(context));
    case 'version':
      return jsonReply(200, JSON.stringify(serverVersion), { ...exchange.output, pretty: true });
    case 'coreVersions':
      return discovery(context, exchange, 'core', () => coreVersions(registry, exchange.host));
    case 'groups':
      return discovery(context, exchange, 'named', () => groupList(registry));
    case 'group':
      return found(groupDocument(registry, route.group), pageNotFound);
    case 'resources':
      return found(resourceList(registry, route.group, route.version), () =>
        unknownVersion(context, route.group),
      );
    case 'openapiV2':
      return openApiV2(exchange);
    case 'openapi':
      return openApi(context, exchange, route.path);
  }
}

/**
 * Responds to one request, later if it has to wait for webhooks. Never throws: unexpected errors become a 500 and are
 * reported to the error hook.
 */
export function answerRequest(context: FrontContext, exchange: Exchange): Reply | Promise<Reply> {
  if (!context.server.callsWebhooks) return answerNow(context, exchange);
  return withAnswers((webhooks) => answerNow(context, { ...exchange, webhooks }));
}

function answerNow(context: FrontContext, exchange: Exchange): Reply {
  try {
    return answer(context, exchange);
  } catch (error) {
    if (error instanceof Waiting) throw error;
    if (!(error instanceof ApiError)) context.onError(error);
    return refusalReply(error, exchange.output);
  }
}
