// What the server says in English, in Spanish: its problems, and the names that come along with it. Loaded when needed.

/** Names and sentences; # is a number and * is whatever stands there. What is not here is shown as the server says it. */
export const TERMS = {
  // Categories of memories.
  identity: "identidad", family: "familia", relationship: "relación", relation: "relación", work: "trabajo", education: "formación", home: "hogar", health: "salud", preference: "preferencia",
  possession: "posesión", skill: "habilidad", plan: "plan", event: "evento", habit: "hábito", goal: "objetivo", other: "otro", fact: "dato",
  // Templates and their fields.
  allergy: "alergia", birthday: "cumpleaños", dislike: "aversión", job: "empleo", language: "idioma", person: "persona",
  what: "qué", when: "cuándo", where: "dónde", role: "puesto", name: "nombre",
  // What became of a memory, and of notes.
  add: "añadido", remember: "recordado", refresh: "confirmado", replace: "sustituido", revise: "corregido", undo: "deshecho", release: "aceptado", retire: "retirado", merge: "fusionado",
  overwrite: "texto nuevo", append: "añadido al final", prepend: "añadido al principio", "delete section by header": "sección quitada", "replace section by header": "sección sustituida", "delete all notes": "todo quitado",
  // Work that is due.
  settle: "esperar silencio", extract: "aprender", consolidate: "fusionar", summarise: "resumir", reembed: "rehacer vectores", tidy: "limpiar", deliver: "entregar",
  // What an erasure removes.
  "message vectors": "vectores de mensajes", messages: "mensajes", "append keys": "claves de envío", "state history": "historial de estados", states: "estados", digests: "resúmenes", "conversation memories": "documentos de conversaciones",
  turns: "turnos", outbox: "envíos", refusals: "rechazos", receipts: "recibos", signed: "firmados", "active conversations": "conversaciones activas", conversations: "conversaciones", "memory versions": "versiones de recuerdos", "memory words": "palabras de recuerdos", memories: "recuerdos", tombstones: "lápidas",
  "note versions": "versiones de notas", notes: "notas", "document vectors": "vectores de documentos", "document texts": "textos de documentos", "document versions": "versiones de documentos", documents: "documentos", pools: "grupos",
  answers: "respuestas guardadas", "api keys": "claves", "live events": "avisos", "live marks": "marcas de avisos", "live heads": "cabezas de avisos", audit: "auditoría", workflows: "flujos",
  // The workflow of a request for proposals.
  "Request for proposals": "Solicitud de propuestas", Initial: "Inicio", "Collecting requirements": "Reunir requisitos", "Drafting RFP": "Redacción", "Reviewing RFP": "Revisión",
  "Selecting vendors": "Proveedores", "Ready to send": "Por enviar", Sent: "Enviada", "Waiting for proposals": "Esperar propuestas", "Comparing proposals": "Comparar propuestas", Closed: "Cerrado",
  "Find out what is to be bought.": "Averiguar qué se quiere comprar.", "Ask for what is missing: the items, the budget, the deadline.": "Preguntar lo que falta: los artículos, el presupuesto, el plazo.", "Write the request.": "Escribir la solicitud.",
  "Let the buyer read and correct the request.": "Dejar que el comprador lea y corrija la solicitud.", "Choose who is asked for a proposal.": "Elegir a quién se pide una propuesta.", "Everything is there: send it, or change it once more.": "Está todo: enviarla o cambiarla una vez más.",
  "The vendors have the request.": "Los proveedores tienen la solicitud.", "Vendors are working on their proposals.": "Los proveedores preparan sus propuestas.", "Compare what the vendors offer.": "Comparar lo que ofrecen los proveedores.", "It is decided.": "Está decidido.",
  "Send RFP": "Enviar solicitud", Title: "Título", Description: "Descripción", Budget: "Presupuesto", Deadline: "Plazo", "When proposals are due": "Hasta cuándo se aceptan propuestas", "Vendors selected": "Proveedores elegidos", Requirements: "Requisitos", Items: "Artículos",
  Name: "Nombre", Quantity: "Cantidad", Specifications: "Especificaciones", "Delivery days": "Días de entrega", "Payment terms": "Condiciones de pago", Warranty: "Garantía", "Other requirements": "Otros requisitos",
  // The workflow of a support ticket.
  "Support ticket": "Incidencia", New: "Nueva", Investigating: "Investigando", "Waiting for the customer": "Esperando al cliente", "Waiting for customer": "Esperando al cliente", Escalated: "Escalada", Solved: "Resuelta", Open: "Abierta", "In progress": "En curso", Waiting: "En espera",
  "Understand what is wrong, for whom and how badly.": "Entender qué falla, a quién y cuánto.", "Find the cause.": "Encontrar la causa.", "A question to the customer is open.": "Hay una pregunta pendiente al cliente.", "An engineer has taken it over.": "La lleva un ingeniero.",
  "Ask whether the solution helped.": "Preguntar si la solución ayudó.", Refund: "Reembolso", Subject: "Asunto", Product: "Producto", Severity: "Gravedad", Contact: "Contacto", "Steps to reproduce": "Pasos para reproducirlo", "Seen on": "Visto el", Link: "Enlace", Solution: "Solución", Satisfied: "Satisfecho",
  low: "baja", normal: "normal", high: "alta", critical: "crítica",
  // Why something was in a prompt, or was not.
  "close in meaning": "cercano en significado", "shares words": "comparte palabras", shares: "comparte", pinned: "fijado", related: "relacionado",
  "all of it": "todo", "memory # of #": "recuerdo # de #", "the end of memory # of #": "el final del recuerdo # de #", "message #": "mensaje #", "messages # to #": "mensajes # a #", "the new message": "el mensaje nuevo",
  "it does not fit into what the sections above it leave of the budget": "no cabe en lo que las secciones anteriores dejan del presupuesto", "it would take more than half of the room, and the newest messages say more": "ocuparía más de la mitad del espacio, y los mensajes más nuevos dicen más",
  "a newer message did not fit, and what is older than a gap would mislead": "un mensaje más nuevo no cupo, y lo anterior a un hueco confundiría", "a prompt gets at most # memories": "un prompt lleva como mucho # recuerdos", "memories stay under # tokens": "los recuerdos no llegan a # tokens",
  "its tool call is not in the window": "la llamada a su herramienta no está entre los mensajes", "a tool call in it has no result": "una llamada a una herramienta no tiene resultado",
  "the model still calls tools after # rounds": "el modelo sigue llamando a herramientas tras # rondas", "the reply was cut off after # of # characters": "la respuesta se cortó tras # de # caracteres", "the model called # tools at once; # were used": "el modelo llamó a # herramientas a la vez; se usaron #",
  // What is not there, or does not answer.
  conversation: "la conversación", memory: "el recuerdo", document: "el documento", workflow: "el flujo", "version of these notes": "la versión de las notas", key: "la clave", "version of this state": "la versión del estado", user: "el usuario", "turn of message": "el turno del mensaje", template: "la plantilla",
  resource: "el recurso", model: "el modelo", message: "el mensaje", file: "el archivo", "active session of agent": "la sesión activa del agente", tenant: "el cliente", agent: "el agente",
  cache: "la caché", database: "la base de datos", embedder: "el modelo de vectores", server: "el servidor", webhook: "el webhook",
  // What a rule says.
  "there is nothing to undo: this state was never changed": "no hay nada que deshacer: este estado nunca se cambió", "there is nothing to undo: these notes were never written": "no hay nada que deshacer: estas notas nunca se escribieron", "this conversation has no workflow, and so no steps": "esta conversación no sigue ningún flujo y no tiene pasos",
  "the move to * needs * first": "para pasar a * hace falta antes: *", "there is no move from * to *; allowed are *": "no se puede pasar de * a *; sí a *", "there is no move from * to *; it is the last step": "no se puede pasar de * a *; es el último paso",
  "the move to * is not one for a * to make, only for *": "el paso a * no le corresponde a *, solo a *", "* needs * first": "* necesita antes: *", "* is allowed at *, and this is at *": "* se puede hacer en *, y esto está en *", "memory * of the same pool says this already; forget one of the two": "otro recuerdo del mismo grupo ya dice esto (*); olvida uno de los dos",
  "memory * has no version # to go back to; it has #": "el recuerdo * no tiene una versión # a la que volver; tiene #", "memory * is *, not quarantined": "el recuerdo * no está por revisar (*)", "conversation * is archived; take it out with archive(False) first": "la conversación * está archivada; sácala antes del archivo",
  "tenant * is there already": "el cliente * ya existe",
  // What is wrong with a value.
  "must not be empty": "no puede estar vacío", "is missing": "falta", "is needed": "hace falta", "must be a number between # and #": "debe ser un número entre # y #", "must be between # and #, not #": "debe estar entre # y #, no #", "must be at least #, not #": "debe ser al menos #, no #", "must be at most #, not #": "debe ser como mucho #, no #",
  "has # characters; a memory has at most #": "tiene # caracteres; un recuerdo tiene como mucho #", "has # characters; at most # are allowed": "tiene # caracteres; se permiten como mucho #", "has # bytes; at most # are allowed": "tiene # bytes; se permiten como mucho #", "must be printable text, without line breaks or control characters": "debe ser texto visible, sin saltos de línea ni caracteres de control",
  "must be a UUID": "debe ser un UUID", "must be a UUID, not *": "debe ser un UUID, no *", "must be text, not *": "debe ser texto, no *", "must be one of *": "debe ser uno de *", "must be some of *": "debe ser alguno de *", "a key that is bound to a user cannot have admin, which reaches all users": "una clave de un solo usuario no puede administrar, porque eso alcanza a todos",
  "must be openai:<model>, like openai:gpt-4o-mini": "debe ser openai:<modelo>, como openai:gpt-4o-mini", "has a wrong value": "tiene un valor incorrecto", "has a field that is not known here": "tiene un campo desconocido", "is not a field that is known here": "no es un campo conocido", "must be in the future": "debe estar en el futuro", "is outside of the calendar": "está fuera del calendario",
};

/** Names of fields, as the forms of the page have them. */
const FIELDS = {
  text: "texto", keyPoint: "texto", key_point: "texto", category: "categoría", importance: "importancia", expiresAt: "caducidad", expires_at: "caducidad", user: "usuario", agent: "agente", name: "nombre", scopes: "permisos", pool: "grupo", model: "modelo",
  instructions: "instrucciones", window: "mensajes en el prompt", budget: "tokens", workflow: "flujo", title: "título", message: "mensaje", query: "búsqueda", content: "contenido", minutes: "minutos", tenant: "cliente", key: "clave", confirm: "confirmación", learnEvery: "mensajes antes de aprender", learn_every: "mensajes antes de aprender",
};

const later = (error) => (error.retryAfter ? ` Vuelve a intentarlo en ${Math.ceil(error.retryAfter)} s.` : " Vuelve a intentarlo en un momento.");

/** What to say about each type of problem that the server knows, with what it tells about it. */
export const PROBLEMS = {
  malformed: () => "La petición no se puede leer.",
  unauthorized: () => "Primero inicia sesión.",
  forbidden: () => "Esta clave no tiene permiso para eso.",
  "not-found": ({ what, key }) => (what ? `No se encuentra ${said(what)}${key ? ` ${key}` : ""}.` : "No se encuentra lo que se pide."),
  "too-slow": () => "La petición no ha llegado a tiempo. Vuelve a intentarlo.",
  gone: () => "La petición se interrumpió.",
  "under-way": (error) => `La misma petición todavía está en curso.${later(error)}`,
  refused: ({ detail }) => sentence("Una regla lo impide", detail),
  busy: (error) => `Se está respondiendo a otro mensaje de esta conversación.${later(error)}`,
  conflict: () => "Alguien lo ha cambiado mientras tanto.",
  "key-reused": () => "Esta petición ya se usó para otra cosa. Inténtalo otra vez desde el principio.",
  invalid: ({ field, detail }) => sentence(field ? `No se acepta «${FIELDS[field] ?? field}»` : "No se acepta", field && detail?.startsWith(`${field}: `) ? detail.slice(field.length + 2) : detail),
  "not-installed": () => "Esta parte del servidor no está instalada.",
  overloaded: (error) => `El servidor tiene demasiado trabajo.${later(error)}`,
  unavailable: (error) => (error.part ? `No responde ${said(error.part)}.${later(error)}` : `Algo que el servidor necesita no responde.${later(error)}`),
  "method-not-allowed": () => "Eso no se puede hacer así.",
  "too-large": () => "Es demasiado grande.",
  "unsupported-media-type": () => "El servidor no entiende este formato.",
  "rate-limited": (error) => `Demasiadas peticiones con esta clave.${later(error)}`,
  internal: ({ request }) => `El servidor ha cometido un error.${request ? ` Petición: ${request}.` : ""}`,
  request: () => "La petición no se puede atender.",
};

function sentence(title, detail) {
  return detail ? `${title}: ${said(detail)}${/[.!?]$/.test(detail) ? "" : "."}` : `${title}.`;
}

/** Those with something to fill in, the most exact first. */
const PATTERNS = Object.entries(TERMS)
  .filter(([english]) => /[#*]/.test(english))
  .sort(([one], [other]) => one.split("*").length - other.split("*").length || other.length - one.length)
  .map(([english, spanish]) => [new RegExp(`^${english.replace(/[.?()[\]{}|^$+\\]/g, "\\$&").replaceAll("*", "(.+?)").replaceAll("#", "(-?\\d[\\d.,]*)")}$`, "s"), spanish]);

/** The same in Spanish, or as it is. */
export function said(text) {
  if (Object.hasOwn(TERMS, text)) return TERMS[text];
  for (const [pattern, spanish] of PATTERNS) {
    const found = text.match(pattern);
    if (!found) continue;
    let place = 0;
    return spanish.replace(/[#*]/g, () => found[(place += 1)]);
  }
  return text;
}

/** What stands for a Spanish name: what somebody writes is kept under the server's own name for it. */
export function meant(text) {
  return Object.keys(TERMS).find((english) => TERMS[english] === text.trim().toLocaleLowerCase("es")) ?? text;
}
