import { openApiDocument, openApiIndex } from '../openapi/documents.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import { jsonReply, pageNotFound, type Reply } from './reply.ts';

/** `/openapi/v3` and the documents it names. */
export function openApi({ server }: FrontContext, { output }: Exchange, path: string | undefined): Reply {
  const { registry } = server;
  const document = path === undefined ? openApiIndex(registry) : openApiDocument(registry, path);
  return document === undefined ? pageNotFound() : jsonReply(200, JSON.stringify(document), output);
}

const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * `/openapi/v2` without any definitions: clients fall back to it for kinds missing in v3, and there are none. In
 * protobuf if accepted, which is the only form that kubectl reads.
 */
export function openApiV2({ accept, output }: Exchange): Reply {
  if (!accept?.includes(protobuf))
    return jsonReply(
      200,
      '{"swagger":"2.0","info":{"title":"Kubernetes"},"paths":{},"definitions":{}}',
      output,
    );
  // The first field is the version, a string of three bytes.
  const text = '\n\u00032.0';
  return { type: 'text', code: 200, contentType: protobuf.replace('@', '.'), text };
}
