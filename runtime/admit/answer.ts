import type { JsonObject } from '../../schemas/wire/json.ts';
import { textOf } from '../../semantics/values/read.ts';

/** The answer to the request of an AdmissionReview. */
export function answerTo(request: JsonObject, response: JsonObject): JsonObject {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: textOf(request['uid']), ...response },
  };
}
