import { fieldAt } from '../../schemas/pods/fields.ts';
import type { RelatedObjects } from '../api/registry.ts';
import type { Webhook } from './webhook.ts';

/** Where a webhook is called. */
export interface Target {
  /** As messages show it, with the timeout. */
  url: string;
  host: string;
  port: number;
  /** The name in the certificate of the server. */
  serverName: string;
  /** Path and query of the request. */
  path: string;
  /** PEM; without it those of the host. */
  caBundle: string | undefined;
  timeoutMs: number;
}

/** The annotation of a Service that says where the program behind it listens: `127.0.0.1:9876`. */
export const ADDRESS_ANNOTATION = 'sandbox/address';

/** Why a Service cannot be called: no container of the sandbox runs a program. */
function addressOf(
  related: RelatedObjects,
  namespace: string,
  name: string,
  port: number,
): { host: string; port: number } | string {
  const service = related.read('services', namespace, name);
  if (service === undefined) return `service ${JSON.stringify(name)} not found`;
  const given = service.metadata.annotations?.[ADDRESS_ANNOTATION];
  const [, host = '', own = ''] = /^(.+):(\d+)$/.exec(given ?? '') ?? [];
  if (host !== '') return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(own) };
  const external = fieldAt(service, ['spec', 'externalName']);
  if (fieldAt(service, ['spec', 'type']) === 'ExternalName' && typeof external === 'string')
    return { host: external, port };
  return `the sandbox runs no programs in its pods: annotate the Service with ${ADDRESS_ANNOTATION}=HOST:PORT`;
}

/** Where a webhook is called; a text says why that is not known. */
export function targetOf(webhook: Webhook, related: RelatedObjects): Target | { url: string; fault: string } {
  const { clientConfig = {}, timeoutSeconds = 10 } = webhook;
  const query = `?timeout=${timeoutSeconds}s`;
  const common = {
    timeoutMs: timeoutSeconds * 1000,
    caBundle:
      clientConfig.caBundle === undefined
        ? undefined
        : Buffer.from(clientConfig.caBundle, 'base64').toString('utf8'),
  };
  const { service } = clientConfig;
  if (service !== undefined) {
    const { namespace = '', name = '', port = 443 } = service;
    const serverName = `${name}.${namespace}.svc`;
    const path = `/${(service.path ?? '').replace(/^\//, '')}${query}`;
    const url = `https://${serverName}:${port}${path}`;
    const address = addressOf(related, namespace, name, port);
    if (typeof address === 'string') return { url, fault: address };
    return { ...common, ...address, url, serverName, path };
  }
  const parsed = URL.canParse(clientConfig.url ?? '') ? new URL(clientConfig.url ?? '') : undefined;
  if (parsed === undefined)
    return { url: clientConfig.url ?? '', fault: 'webhook configuration must have either service or URL' };
  const host = parsed.hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    ...common,
    url: `${parsed.origin}${parsed.pathname}${query}`,
    host,
    port: Number(parsed.port || 443),
    serverName: host,
    path: `${parsed.pathname}${query}`,
  };
}
