"""What the words of a shop's customers mean, in one token for both languages.

A few thousand examples show a classifier few of the words that customers use. Here "fridge" and
"canapé" are both a product, "reimburse" and "remboursez" the same wish: what is learnt of one
holds for the others, and for the other language.
"""

import re
from functools import lru_cache
from typing import Final

# Folded words; "*" stands for any ending. A word may have several meanings.
_LEXICON: Final[dict[str, str]] = {
    # Wishes and money
    "refund": """refund* reimburs* rembours* rembour* remborse* rmbours* rembousr* refnd* refudn*
        recredit* recouvr* restitu* repay* chargeback avoir""",
    "return": """return* retour* renvoi* renvoy* renvoie* retract* rapport* bordereau etiquette
        rma rtn exchang* echang* swap* rends rendre redonn*""",
    "cancel": """cancel* cancle* annul* anul* resili* desist* withdraw* stopp* stop terminat*
        retractation void* cooling unwanted delet* supprim* suprim* renonc*""",
    "money": """money argent sous euro euros eur dollar* pound* quid bucks cash fric thune somme*
        montant* amount* sum tune* ble funds centime* cent""",
    "charge": """charg* debit* prelev* bill billed billing paid pay payed paye payes payee
        paiement* payment* payer regl* deposit acompte caution carte card transaction*
        statement factur*""",
    "invoice": """factur* invoice* receipt* vat tva siret justificatif* proforma comptab* accounts
        accounting attestation* duplicata""",
    "twice": "twice double doublon* duplicate* doublement deux two 2x extra surplus",
    "give": "give rends rendez rendre back recuper* recouvr* get gimme",
    "credit": "credit* banque bank releve virement",
    "changed_mind": "mind avis regret* longer finalement finally changed change* anymore",
    "want": """want veux voudrais souhait* wish like aimerais desire demand* request* ask need*
        besoin require* exig*""",
    # Orders and parcels
    "where": "where ou whereabouts wheres whr localis*",
    "when": """when quand kan eta date dates time heure delai* soon jour day days jours combien
        long estimat* horaire* creneau slot""",
    "track": """track* suivi* suivre tracable traceab* follow statut* status statu etat avance*
        progress* state nouvelles news update*""",
    "ship": """ship* expedi* envoi* envoy* dispatch* post posted sent send parti partie partis
        parties part depart* left leave leaves acheminement transit prepar* process*
        traitement""",
    "deliver": "livr* deliver* dlivr* achemin* deliv* distribu*",
    "arrive": """arriv* recoi* recev* receiv* reciev* recu recue recus recues reception* parven*
        reach* come coming came here got""",
    "order": """order* command* comand* cmd cde cmde achat* purchase* commnd* odrer oder ordr
        preorder precommande* panier basket bought achete ordered""",
    "parcel": """parcel* parcle colis coli package* packag* packet* paquet* box boxes carton*
        shipment* envelope* enveloppe* pli emballage*""",
    "courier": """courier* carrier* transporteur* livreur* facteur* postman chauffeur* driver* ups
        dhl fedex colissimo chronopost mondial relay relais gls dpd hermes evri usps laposte
        poste postal mailman depot locker hub douane* customs""",
    "late": """late retard* delay* overdue depass* postpon* reporte* reschedul* repouss* dragging
        traine""",
    "wait": "attend* attente wait* jatend* jattend* patient* eternite forever ages",
    "still": "toujours tjrs tjr tjs still yet encore deja already",
    "period": """semaine* week* month* mois jour* day days depuis since ago hier yesterday lundi
        mardi mercredi jeudi vendredi samedi monday tuesday wednesday thursday friday saturday""",
    "expected": """devait devais aurait aurais supposed meant due prevu prevue cense censee
        expected was etait should promis promise* normalement""",
    "future": """will ll going sera serai seront va vont arrivera recevrai passera demain tomorrow
        soon bientot prochain* prochaine next before avant""",
    "reached_me": "recu receiv* reciev* received got arrivee arrive arrived came turned",
    "lost": """lost perdu* lose missing manqu* introuvable* disappear* disparu* vanish* egare* vol
        vole volee stolen steal theft stuck bloqu* coince* fige* immobil* vide empty
        incomplet*""",
    "broken": """broken broke cass* damag* abim* endommag* crack* fissur* shatter* smash* bris*
        dent* eclat* crush* ecras* torn dechir* fendu* tordu* bent ebrech* chipp* leak* fuit
        coule eventr* explos* morceaux pieces miettes mouill* soaked melted fondu*""",
    "wrong": """wrong mauvais* erreur* incorrect* mistake* error* tromp* differen* autre* instead
        lieu faux mix* confus* invers* gour*""",
    "address": """address* adress* street rue digicode code zip postcode postal voisin* neighbour*
        neighbor* gardien* concierge porch hallway mailbox boite domicile demenag* moved flat
        appartement etage""",
    "marked": """marked marque indique says said affiche shows pretend* claims signe sign*
        signature""",
    # Anger and disappointment
    "angry": """angry furi* furieu* outr* scandal* honte* shame* disgrac* unaccept* inaccept*
        inadmiss* intoler* revolt* livid fuming disgust* degout* enerv* colere rage* fache*
        ulcere* excede* indign* appal* ridicul* insult* mepris* contempt* joke foutre fout
        foutage moque* foutez fiche* exaspera* infuriat* enrag* seeth* rag* hateful shocking
        choque* ecoeur* sicken* shocked annoy* agac* unbearable deplorable""",
    "disappointed": """disappoint* decu* dece* decept* decevant* unhappy dissatisf* insatisf*
        mecontent* unsatisf* regret* letdown gutted upset pity dommage triste* sad frustrat*
        unimpressed despair desesper* disillusion*""",
    "poor": """poor poorly bad badly horrib* terrib* awful worst pire* nul nulle nulles nuls
        lamentab* pitoy* pathetic catastroph* useless inutil* rubbish trash crap camelote
        pourri* merd* shit* daube garbage junk bof mediocre* shoddy tacky bacl* atroc* abysmal
        dreadful execrab* deplor* minable* naze cata desastr* disaster* mess zero honteux
        infect* vile foul immonde* affreu* hideous nightmare cauchemar* moisi* mould* stink*
        pue puent odeur sucks shambles rotten circus cirque guignol lousy meh degueul*
        ignoble* moyen mal mauvais*""",
    "fraud": """scam* arnaq* fraud* escroc* escroqu* voleur* thie* rip ripoff robb* crook*
        mensong* menti* mens* lie lied liar* lying lies false trompeu* mislead* fake
        contrefac* counterfeit* charlatan* cheat*""",
    "rude": """rude impoli* desagreab* malpoli* aggress* agressi* arrogant* attitude hung
        raccroch* incompeten* irrespect* disrespect* disdain* condescend* unprofession*
        professionn* comportement behavio* grossi* swore unpleasant amateur* clown* charlot*
        incapab* treated traite*""",
    "threat": """avocat lawyer* solicitor tribunal court legal justice plainte* plaint* complain*
        reclamation* sue dgccrf cnil trading standards ombudsman mediat* litige review*
        trustpilot report* consommat* consumer police huissier etoile* star stars denounc*
        denonc*""",
    "never": "never jamais boycot* avoid* fuy* fuir again deconseil*",
    "fed_up": """fed marre ras bol enough assez sick tired peni* insupport* patience lasse* suffit
        excus* apolog*""",
    "no_answer": """repon* respon* answer* reply replies replied silence ignor* nobody noone
        personne rappel* unanswered injoign* joign* joindre unreachable call* appel*""",
    "worn": """bouloch* bobbl* ecaill* flak* rouill* rust* couture* seam* troue* hole rip ripped
        rips snapp* lache craqu* noirci* deteint* fade* rayur* scratch* affaiss* sag* sagging
        effondr* detach* dechir* fondu melted overheat* surchauff* zip collaps* grince*
        squeak* ruin*""",
    "faulty": """faulty defect* defaut* dysfonction* malfunction* dead hs panne* plante* crash*
        fonctionn* work works working marche marchent""",
    "quality": "quality qualit* finition* finish* workmanship build fabrication",
    "service": """service* sav support hotline staff employee* employe* vendeu* salesman
        saleswoman conseill* agent* advis* team equipe* clientele helpline chatbot""",
    "firm": "company boite entreprise* brand* marque* business societe* enseigne* seller* site",
    # Negation, courtesy, joy
    "not": """not no n t pas ne non never nothing rien nobody aucun* none neither ni sans without
        cant dont didnt wont isnt hasnt doesnt havent cannot couldnt""",
    "thanks": """thank* merci* mercii* thx tks ty tyyy cheers remerci* grateful reconnaissan*
        appreciat* mrc""",
    "happy": """happy content* heureu* ravi* delight* satisf* love* lovely ador* great super
        genial* parfait* perfect* excellent* awesome amazing top bravo felicit* congrat* well
        nickel impecc* wonderful magnif* brilliant fantastic* impress* recommand* best
        enchant* pleased glad superb* gorgeous beautiful beau belle friendly gentil* adorab*
        sympath* charm* exceptionn* exceptional flawless pleasure plaisir joie bonheur
        meilleur* chapeau hats rock kudos spotless pleasant agreabl* touch*""",
    "solved": """resolu* solved sorted regle* fixed resolved fine okay efficac* efficient rapid*
        quick*""",
    # Products
    "size": """size* taille* pointure* large grand grande petit petite small medium fit* fits
        tight serre* measure* mesure* dimension* cm mm inch* largeur* longueur* hauteur* width
        height length deep profond* poids weigh* weight kg tall capacit* litre* litres""",
    "color": """color* colour* couleur* coloris red rouge bleu* blue noir* black blanc* white
        vert* green gris* grey gray pink rose beige marron brown yellow jaune navy""",
    "matter": """matier* material* fabric tissu* cotton coton laine wool cuir leather polyester
        linen lin silk soie wood bois metal* steel acier inox plastic plastiq* compos*
        ingredient* made fait gluten lactose peanut* arachide* noix nuts sugar sucre vegan*
        nickel allerg* intoleran* organic bio peau* skin* parfum fragrance fabrique*
        manufactur*""",
    "compat": """compat* iphone android samsung bluetooth usb wifi adapt* convien* suit suitable
        windows mac pixel galaxy macbook canon pair connect* branch*""",
    "stock": """stock* dispo* availab* rupture reassort* restock* exemplaire* sold epuise*
        reappro* left reste""",
    "care": """wash* lav* lave* clean* nettoy* entret* machine dryer repass* iron sechoir care
        seche* dishwash* vaissell* tumble detartr* descal*""",
    "use": """use* utilis* manual notice mode emploi instruction* install* assembl* mont* operat*
        set setup tutorial recharg* batter* autonom* volt* watt* puissan* power* reglag*
        regler bruit* noise* noisy allum* voyant* light reinitial* reset""",
    "warranty": "warrant* guarantee* garanti* durab* covered couvre",
    "compare": """difference* compar* entre between versus vs lequel laquelle which recommend*
        conseil* mieux better advice advise choisi* choose hesit* choice pick suggest*""",
    "contains": """contain* contien* contenu includ* inclu* fourni* comes accessor* supplied
        vendu* separe* separately spare rechange replacement piece*""",
    "variant": "version* model modele* existe exist exists same meme autres similar edition",
    "waterproof": "waterproof* impermeab* etanch* resist* rainproof solid* robust*",
    "product": """product* produit* article* item* coat manteau* jacket* veste* parka* jean*
        dress* robe* shirt* chemis* pull* jumper* sweater* hoodie* shoe* chaussure* basket*
        boot* botte* bag* sac* watch* montre* lamp* table* chair* chaise* sofa* canape*
        mattress* matelas desk bureau* shelf shelves etagere* curtain* rideau* mug* plate*
        assiette* vase* kettle* bouilloire* toaster* grille phone* telephone* case coque*
        headphone* casque* earbud* ecouteur* charger* chargeur* laptop* ordi* cream* creme*
        serum* perfume* shampoo* shampoing* skirt* jupe* pant* trouser* pantalon* sneaker* rug
        tapis blanket* plaid* pillow* oreiller* coussin* cushion* toy* jouet* game* jeu bike*
        velo* tent* tente* helmet* ring* bague* necklace* collier* earring* boucle* bracelet*
        aspirateur* vacuum* blender* mixer* mixeur* fridge* frigo* oven* four cafetiere*
        speaker* enceinte* camera* tv television* tele screen* ecran* keyboard* clavier*
        glasses lunette* mirror* miroir* frame* cadre* book* livre* candle* bougie* teapot*
        theiere* pan poele* knife couteau* swimsuit* maillot* scarf echarpe* foulard* hat
        glove* gant* sock* chaussette* backpack* drill* perceuse* stroller* pushchair*
        poussette* crib lit bed duvet couette* towel* serviette* umbrella* parapluie* paint*
        peinture* wardrobe* armoire* commode* dresser* fauteuil* armchair* tabouret* stool*
        legging* trottinette* scooter* tea the honey miel robot printer* imprimante* trainers
        roller* rollerblade* hood* capuche* cable* wine vin vins coffee chocolat* biscuit*
        cookie* syrup sirop soap savon* lotion mascara* lipstick* rouge makeup maquillage*
        diaper* couche* bottle* gourde* bouteille* tool* outil* ladder* echelle* croquette*
        guitar* piano* puzzle* doll* poupee* train suitcase* valise* wallet* portefeuille*
        belt* ceinture* sunglass* tshirt* blouse* cardigan* gilet* pyjama* pajama* bra
        sweatshirt* short shorts slipper* chausson* sandal* heel* cravate* tablet* tablette*
        mouse souris monitor* router* console* drone* razor* rasoir* brush* brosse* heater*
        radiateur* fan ventilateur* fryer* friteuse* microwave* congelateur* freezer*
        barbecue* bbq mower* tondeuse* sideboard* buffet* plat plateau* bowl* bol bols cup*
        tasse* pot* headset* battery* filter* filtre* screw* vis lid couvercle* cover* housse*
        sheet* drap* flower* fleur* plant plants supplement* complement* vitamin* capsule* pod
        pods oil huile*""",
    # What is none of these
    "price": """price* prix cost* coute* cout* tarif* fee fees frais cheap* cher expensive much
        promo* discount* reduction* remise* rabais coupon* code sale* solde* voucher* deal*
        bon rate*""",
    "gift_card": "gift cadeau* cheque* points fidelit* loyalty parrain* refer* reward* voucher*",
    "account": """account* compte* login log connexion connecter password* passe identifiant*
        profil* profile mdp pwd username register* inscri* sign 2fa""",
    "newsletter": """newsletter* unsubscrib* unsuscrib* desinscr* desabon* subscri* abonn* mailing
        list marketing pub pubs publicit* spam* rgpd gdpr donnees data opt promotion*
        promotionn*""",
    "job": """job* emploi* stage* internship* cv resume candidat* recrut* hiring hire vacanc*
        career* carriere* alternan* apprenti* apply applicat* postul* motivation placement""",
    "partner": """partner* partenar* collab* influen* blog* sponsor* wholesale* grossiste* revend*
        resell* retailer* distribut* supplier* fournisseur* agence agency seo offre*
        proposition propos* b2b demo audit presse press journalis* interview* don dons donat*
        tombola raffle charit* association* ambassad* bitcoin crypto* invest*""",
    "store": """store* shop* boutique* magasin* horaire* hour* open* ouvert* ouvre* ouvrez ferm*
        close* closed sunday dimanche parking showroom located situ*""",
    "payment_means": """paypal visa amex mastercard klarna apple virement transfer instal* trois
        quatre fois 3x 4x cheque* means moyen* method* methods""",
    "country": """switzerland suisse belgi* belgium ireland irlande canada germany allemagne spain
        espagne reunion guadeloupe martinique corse dom tom international* abroad etranger
        europe uk usa country countries pays italy italie malta luxembourg portugal
        netherlands hollande bas scotland australia australie japan japon maroc morocco
        tunisie algerie quebec poland pologne sweden suede norway norvege austria autriche
        denmark greece grece romania finland dubai brazil""",
    "greeting": """hello hi hey bonjour bonsoir salut coucou bjr slt cc yo morning evening hola
        hiya""",
    "chitchat": """bot joke blague poem poeme meteo weather capital* capitale name appelles who
        lol haha* mdr ptdr test testing""",
    "security": "hack* pirat* phish* suspicious suspect* secur*",
    "website": "site website* web* page bug* app appli application lien link 404 crash*",
    "ask": "how comment what quel quelle quels quelles which can could peut puis possible may",
}


_REPEATED: Final = re.compile(r"([a-z])\1+")


def _single(word: str) -> str:
    """Doubled letters once: the commonest misspelling, and the way to shout."""
    return _REPEATED.sub(r"\1", word)


def _parsed() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Whole words and beginnings of words, each with its concepts."""
    whole: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    for concept, listed in _LEXICON.items():
        for word in dict.fromkeys(listed.split()):
            place = beginnings if word.endswith("*") else whole
            key = _single(word.rstrip("*"))
            place[key] = (*place.get(key, ()), concept)
    return whole, beginnings


_WHOLE, _BEGINNINGS = _parsed()
_SHORTEST: Final = min(map(len, _BEGINNINGS))
_LONGEST: Final = max(map(len, _BEGINNINGS))


@lru_cache(maxsize=20_000)
def concepts(word: str) -> tuple[str, ...]:
    """The concepts of a folded word, each once; mostly none or one."""
    word = _single(word)
    found = list(_WHOLE.get(word, ()))
    for length in range(_SHORTEST, min(len(word), _LONGEST) + 1):
        found += _BEGINNINGS.get(word[:length], ())
    return tuple(dict.fromkeys(found))
