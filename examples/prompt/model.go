package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
)

// The model is a few rules. It sorts a message by what its system prompt tells it
// and knows little by itself; asked to rewrite a prompt, it adds one instruction
// that is not there yet, rather one that the messages it is shown call for.

// A lesson is an instruction that the model can follow.
type lesson struct {
	mark string // what of the prompt tells it
	word string // of a message that it is about; "": of every message
	team string
	text string // how the model would put it
}

var lessons = []lesson{
	{mark: "one word", text: "Answer with one word and nothing else."},
	{mark: "lower case", text: "Write the team in lower case."},
	{mark: "lawyer", word: "lawyer", team: "legal", text: "Whatever mentions a lawyer is for legal."},
	{mark: "refund", word: "refund", team: "billing", text: "A refund is for billing."},
	{mark: "password", word: "password", team: "account", text: "A password is for account."},
	{mark: "parcel", word: "parcel", team: "shipping", text: "A parcel is for shipping."},
	{mark: "invoice", word: "invoice", team: "billing", text: "An invoice, or a charge, is for billing."},
	{mark: "charge", word: "charged", team: "billing", text: "An invoice, or a charge, is for billing."},
}

// sort answers a message as the prompt says.
func sort(prompt, message string) string {
	prompt, message = strings.ToLower(prompt), strings.ToLower(message)
	team := "Technical"
	for _, l := range lessons {
		if l.word != "" && strings.Contains(prompt, l.mark) && strings.Contains(message, l.word) {
			team = strings.ToUpper(l.team[:1]) + l.team[1:]
			break
		}
	}
	if strings.Contains(prompt, "lower case") {
		team = strings.ToLower(team)
	}
	if !strings.Contains(prompt, "one word") {
		return "This looks like something for " + team + ", I would say."
	}
	return team
}

// rewrite gives prompt.txt, as the question shows it, with one more instruction.
func rewrite(question string) string {
	_, rest, _ := strings.Cut(question, "\nprompt.txt\n")
	prompt, _, _ := strings.Cut(strings.TrimLeft(strings.TrimLeft(rest, "`"), "\n"), "\n```")
	var missing []lesson
	for _, l := range lessons {
		if !strings.Contains(strings.ToLower(prompt), l.mark) && (l.word == "" || strings.Contains(strings.ToLower(question), l.word)) {
			missing = append(missing, l)
		}
	}
	if len(missing) == 0 {
		return "I would change nothing."
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(question)) // the same question gets the same answer
	next := missing[h.Sum32()%uint32(len(missing))]
	if missing[0].word == "" { // how to answer comes before what
		next = missing[0]
	}
	return fmt.Sprintf("The prompt does not say this, and it went wrong.\n### FILE prompt.txt\n```\n%s\n%s\n```\nSummary: %s", prompt, next.text, next.text)
}

// serve answers POST /v1/chat/completions, streamed or not.
func serve(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model    string
		Stream   bool
		Messages []message
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, `{"error": {"message": "POST /v1/chat/completions is all there is"}}`, http.StatusNotFound)
		return
	}
	system, question, asked := "", "", 0
	for _, m := range in.Messages {
		switch m.Role {
		case "system", "developer":
			system = m.Content
		case "user":
			question += m.Content
		}
		asked += len(m.Content)
	}
	text := sort(system, question)
	if strings.Contains(question, "### FILE") {
		text = rewrite(question)
	}
	type choice struct {
		Index   int      `json:"index"`
		Message *message `json:"message,omitempty"`
		Delta   *message `json:"delta,omitempty"`
		Finish  string   `json:"finish_reason"`
	}
	said := choice{Message: &message{"assistant", text}, Finish: "stop"}
	out := map[string]any{"id": "1", "object": "chat.completion", "created": 1, "model": in.Model,
		"usage": map[string]int{"prompt_tokens": asked / 4, "completion_tokens": len(text)/4 + 1, "total_tokens": asked/4 + len(text)/4 + 1}}
	if in.Stream {
		said.Message, said.Delta, out["object"] = nil, said.Message, "chat.completion.chunk"
	}
	out["choices"] = []choice{said}
	body, err := json.Marshal(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if in.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", body)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}
